-- One row: one order's claim on a reference, or on an idempotency key, that another order claims too. claimants: how
-- many do; nth: its place among them by creation; first_order_id: the first of them.
with claim as not materialized (
    select
        o.account_id,
        o.order_id,
        o.source_id,
        o.created_at,
        false as is_key,
        unnest(o.refs) collate "C" as name
    from tieout.book_order as o
    union all
    select o.account_id, o.order_id, o.source_id, o.created_at, true, o.idempotency_key
    from tieout.book_order as o
    where o.idempotency_key is not null
),

-- Nearly all are claimed once: only what may be claimed twice is looked at as text. A number of eight bytes is told apart
-- from another one at a tenth of the cost.
met as (
    select c.account_id, hashtextextended(c.name, c.is_key::int) as number
    from claim as c
    group by c.account_id, hashtextextended(c.name, c.is_key::int)
    having count(*) > 1
),

named as materialized (
    select
        c.account_id,
        c.order_id,
        c.source_id,
        c.created_at,
        case when c.is_key then 'idempotency_key=' || c.name else c.name end as ref,
        -- With the identity space in which it is a name.
        case when c.is_key then c.name else tieout.reference_name(c.name, coalesce(s.space, c.source_id)) end as name
    from claim as c
    inner join met as m
        on m.account_id = c.account_id and m.number = hashtextextended(c.name, c.is_key::int)
    left join scope.source as s
        on s.account_id = c.account_id and s.source_id = c.source_id
),

reused as (
    select n.account_id, n.ref, n.name
    from named as n
    group by n.account_id, n.ref, n.name
    having min(n.order_id) < max(n.order_id)
)

select
    c.account_id,
    c.order_id,
    c.source_id,
    b.payment_id,
    c.ref,
    count(*) over same_ref as claimants,
    row_number() over in_order as nth,
    first_value(c.order_id) over in_order as first_order_id
from named as c
inner join reused as r
    on r.account_id = c.account_id and r.ref = c.ref and r.name = c.name
left join scope.member as b
    on b.account_id = c.account_id and b.member = 'order' and b.source_id = c.source_id and b.record_id = c.order_id
window
    same_ref as (partition by c.account_id, c.ref, c.name),
    in_order as (partition by c.account_id, c.ref, c.name order by c.created_at, c.order_id)
