-- One row: one refund as its provider reports it. transaction_id: the payment it is about, null where nothing says which.
-- money: returned once the customer has it, by the status map.
select
    x.account_id,
    x.source_id,
    x.transaction_id as refund_id,
    m.payment_id,
    coalesce(x.parent_id, a.transaction_id) as transaction_id,
    x.direction,
    x.raw_status,
    x.state,
    x.money,
    x.is_final,
    x.returned as amount,
    x.charged_currency as currency,
    coalesce(x.taken_at, x.updated_at, x.created_at) as happened_at,
    x.created_at,
    x.updated_at,
    x.version_time,
    x.segment,
    x.is_test,
    x.refs,
    x.flags,
    x.observed_at,
    x.run_id
from scope.record as x
left join scope.member as m
    on m.account_id = x.account_id
    and m.member = 'transaction'
    and m.source_id = x.source_id
    and m.record_id = 'refund/' || x.transaction_id
left join lateral (
    select min(substr(u.ref, strpos(u.ref, '=') + 1)) as transaction_id
    from unnest(x.refs) as u (ref)
    where u.ref like '%:transaction=%'
) as a on true
where x.resource = 'refund'
