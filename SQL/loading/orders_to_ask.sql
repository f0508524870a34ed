-- One row: one order that the book expects to be paid through source $2 and that no stored payment names. Orders created
-- before $3 are asked for only when they became known or changed after $4 (null: all are). $1 account.
select
    o.order_id,
    o.created_at,
    o.customer_id,
    o.refs
from tieout.book_order as o
left join (
    select distinct u.ref
    from tieout.transaction as t
    cross join unnest(t.refs) as u (ref)
    where t.account_id = $1
        and t.source_id = $2
        and t.resource = 'transaction'
        and u.ref like 'book:order=%'
) as paid
    on paid.ref = 'book:order=' || o.order_id
where o.account_id = $1
    and o.source_id = $2
    and paid.ref is null
    and (o.created_at >= $3 or $4::timestamptz is null or o.observed_at >= $4)
order by o.created_at desc, o.order_id
