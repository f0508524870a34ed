-- One row: one transaction created within the run's period, or before it and known only since the previous report, as it was
-- known at as_of.
with listed as (
    select t.*
    from {scope.transaction} t
    where t.created_at >= coalesce({period_from}, '-infinity') and t.created_at < coalesce({period_to}, 'infinity')
    union all
    select t.*
    from {late} l
    join {scope.transaction} t on t.source_id = l.source_id and t.resource = l.resource
        and t.transaction_id = l.transaction_id
)

select
    t.source_id as source,
    t.resource,
    t.transaction_id,
    t.payment_id,
    t.created_at,
    t.updated_at,
    t.direction,
    t.kind,
    t.raw_status,
    t.state,
    t.money,
    t.is_final,
    t.provider,
    t.payment_method,
    t.country,
    t.charged,
    t.charged_currency,
    t.delivered,
    t.delivered_currency,
    t.returned,
    t.disputed,
    t.fee as fee_total,
    t.fee_network,
    t.fee_provider,
    t.fee_partner,
    t.fee_other,
    t.fee_currency,
    t.customer_id,
    t.segment,
    t.is_test,
    t.observed_at,
    p.primary_source_id || '/' || case p.primary_resource when 'transaction' then '' else p.primary_resource || '/' end
        || p.primary_transaction_id as second_view_of
from listed t
left join {scope.second_view} p on p.account_id = t.account_id and p.source_id = t.source_id
    and p.resource = t.resource and p.transaction_id = t.transaction_id
