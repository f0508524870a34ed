-- One row: one transaction created within the run's period, as it was known at as_of.
select
    t.source_id as source,
    t.resource,
    t.transaction_id,
    m.payment_id,
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
    t.fee_total,
    t.fee_network,
    t.fee_provider,
    t.fee_partner,
    t.fee_other,
    t.fee_currency,
    t.customer_id,
    t.segment,
    t.is_test,
    t.observed_at
from {transactions} t
left join {members} m on m.account_id = t.account_id and m.member = 'transaction'
    and m.source_id = t.source_id
    and m.record_id = case when t.resource = 'transaction' then '' else t.resource || '/' end || t.transaction_id
where t.created_at >= coalesce({period_from}, '-infinity') and t.created_at < coalesce({period_to}, 'infinity')
