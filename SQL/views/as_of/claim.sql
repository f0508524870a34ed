-- One row: one order's claim on a reference, or on an idempotency key, that another order claims too. claimants: how
-- many do; nth: its place among them by creation; first_order_id: the first of them.
-- As of $2: the versions current then.
with book as (
    select o.account_id, o.order_id, o.source_id, o.created_at, o.idempotency_key, o.refs
    from tieout.book_order as o
    where o.observed_at <= $2
    union all
    select h.account_id, h.order_id, h.source_id, h.created_at, h.idempotency_key, h.refs
    from tieout.book_order_history as h
    where h.observed_at <= $2 and h.superseded_at > $2
),

claim as (
    select
        o.account_id,
        o.order_id,
        o.source_id,
        o.created_at,
        -- With the identity space in which it is a name.
        tieout.reference_name(u.ref, coalesce(s.space, o.source_id)) as name,
        u.ref
    from book as o
    cross join unnest(o.refs) as u (ref)
    left join scope.source as s
        on s.account_id = o.account_id and s.source_id = o.source_id
    union all
    select o.account_id, o.order_id, o.source_id, o.created_at, o.idempotency_key, 'idempotency_key=' || o.idempotency_key
    from book as o
    where o.idempotency_key is not null
),

-- Nearly all are claimed once: only the others are put in order.
reused as (
    select c.account_id, c.ref, c.name
    from claim as c
    group by c.account_id, c.ref, c.name
    having min(c.order_id) < max(c.order_id)
)

select
    c.account_id,
    c.order_id,
    c.source_id,
    c.ref,
    count(*) over same_ref as claimants,
    row_number() over in_order as nth,
    first_value(c.order_id) over in_order as first_order_id
from claim as c
inner join reused as r
    on r.account_id = c.account_id and r.ref = c.ref and r.name = c.name
window
    same_ref as (partition by c.account_id, c.ref, c.name),
    in_order as (partition by c.account_id, c.ref, c.name order by c.created_at, c.order_id)
