-- One row: one dispute, chargeback or bank return as its provider reports it. transaction_id: the payment it is about, null where nothing says which.
-- state: disputed while it is open or where it was lost; money: returned where the customer has it back, by
-- what it says now or, where its status asks for it, by what an earlier version said.
select
    x.account_id,
    x.source_id,
    x.transaction_id as dispute_id,
    m.payment_id,
    coalesce(x.parent_id, a.transaction_id) as transaction_id,
    x.direction,
    x.kind,
    x.raw_status,
    x.state,
    case when x.after_taken is not null and carried.at <= x.version_time then x.after_taken else x.money end as money,
    x.is_final,
    x.disputed as amount,
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
    and m.record_id = 'dispute/' || x.transaction_id
left join lateral (
    select min(substr(u.ref, strpos(u.ref, '=') + 1)) as transaction_id
    from unnest(x.refs) as u (ref)
    where u.ref like '%:transaction=%'
) as a on true
-- When it was first carried out, that is taken from the merchant.
left join (
    select v.account_id, v.source_id, v.transaction_id, min(v.version_time) as at
    from scope.version as v
    where v.resource = 'dispute' and v.money = 'returned'
    group by v.account_id, v.source_id, v.transaction_id
) as carried
    on carried.account_id = x.account_id
    and carried.source_id = x.source_id
    and carried.transaction_id = x.transaction_id
where x.resource = 'dispute'
