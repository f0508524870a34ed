-- One row: one transaction version that was current at as_of. money is the effective one, as in SQL/views: the version's
-- own, or what its status means after money was seen held, taken or delivered before, by a version or a valid event.
with version as not materialized (
    select
        t.account_id,
        t.source_id,
        t.resource,
        t.transaction_id,
        t.observed_at,
        t.version_time,
        t.created_at,
        t.updated_at,
        t.direction,
        t.kind,
        t.raw_status,
        t.state,
        t.money,
        t.is_final,
        t.taken_at,
        t.provider,
        t.payment_method,
        t.country,
        t.charged,
        t.charged_currency,
        t.delivered,
        t.delivered_currency,
        t.returned,
        t.disputed,
        t.fee_network,
        t.fee_provider,
        t.fee_partner,
        t.fee_other,
        t.fee_total,
        t.fee_currency,
        t.customer_id,
        t.wallet_address,
        t.wallet_tag,
        t.segment,
        t.is_test,
        t.after_held,
        t.after_taken,
        t.after_delivered,
        t.raw_hash
    from tieout.transaction t
    where t.account_id = {account} and t.observed_at <= {as_of}
    union all
    select
        h.account_id,
        h.source_id,
        h.resource,
        h.transaction_id,
        h.observed_at,
        h.version_time,
        h.created_at,
        h.updated_at,
        h.direction,
        h.kind,
        h.raw_status,
        h.state,
        h.money,
        h.is_final,
        h.taken_at,
        h.provider,
        h.payment_method,
        h.country,
        h.charged,
        h.charged_currency,
        h.delivered,
        h.delivered_currency,
        h.returned,
        h.disputed,
        h.fee_network,
        h.fee_provider,
        h.fee_partner,
        h.fee_other,
        h.fee_total,
        h.fee_currency,
        h.customer_id,
        h.wallet_address,
        h.wallet_tag,
        h.segment,
        h.is_test,
        h.after_held,
        h.after_taken,
        h.after_delivered,
        h.raw_hash
    from tieout.transaction_history h
    where h.account_id = {account} and h.observed_at <= {as_of} and h.superseded_at > {as_of}
)
select
    t.account_id,
    t.source_id,
    t.resource,
    t.transaction_id,
    t.observed_at,
    t.version_time,
    t.created_at,
    t.updated_at,
    t.direction,
    t.kind,
    t.raw_status,
    t.state,
    case
        when t.after_delivered is not null and seen.delivered_at <= t.version_time then t.after_delivered
        when t.after_taken is not null and least(seen.taken_at, seen.delivered_at) <= t.version_time then t.after_taken
        when t.after_held is not null
            and least(seen.held_at, seen.taken_at, seen.delivered_at) <= t.version_time then t.after_held
        else t.money
    end as money,
    t.is_final,
    t.taken_at,
    t.provider,
    t.payment_method,
    t.country,
    t.charged,
    t.charged_currency,
    t.delivered,
    t.delivered_currency,
    t.returned,
    t.disputed,
    t.fee_network,
    t.fee_provider,
    t.fee_partner,
    t.fee_other,
    t.fee_total,
    t.fee_currency,
    t.customer_id,
    t.wallet_address,
    t.wallet_tag,
    t.segment,
    t.is_test
from version t
left join lateral (
    select
        min(u.at) filter (where u.money = 'held') as held_at,
        min(u.at) filter (where u.money = 'taken') as taken_at,
        min(u.at) filter (where u.money = 'delivered') as delivered_at
    from (
        select h.money, h.version_time as at
        from tieout.transaction_history h
        where h.account_id = t.account_id and h.source_id = t.source_id and h.resource = t.resource
            and h.transaction_id = t.transaction_id and h.observed_at <= {as_of} and h.raw_hash <> t.raw_hash
        union all
        select e.money, e.event_time
        from tieout.webhook_event e
        join tieout.source s on s.account_id = e.account_id and s.source_id = e.source_id
        where t.resource = 'transaction' and e.account_id = t.account_id and e.source_id = t.source_id
            and e.transaction_id = t.transaction_id and e.observed_at <= {as_of}
            and (e.verdict = 'valid' or e.verdict = 'unsigned' and s.declaration ->> 'signature' = 'none')
    ) u
    where t.after_held is not null or t.after_taken is not null or t.after_delivered is not null
) seen on true
