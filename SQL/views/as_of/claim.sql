-- One row: one order's claim on a reference, or on an idempotency key, that another order claims too. claimants: how
-- many do; nth: its place among them by creation; first_order_id: the first of them.
-- As of $2: the versions current then.
with book as (
    select o.account_id, o.order_id, o.source_id, o.created_at, o.idempotency_key
    from tieout.book_order as o
    where o.observed_at <= $2
    union all
    select h.account_id, h.order_id, h.source_id, h.created_at, h.idempotency_key
    from tieout.book_order_history as h
    where h.observed_at <= $2 and h.superseded_at > $2
),

reused as (
    select c.node, c.ref
    from link_claim as c
    where c.member = 'order'
        and c.ref in (
            select o.ref
            from link_claim as o
            where o.member = 'order'
            group by o.ref
            having min(o.node) < max(o.node)
        )
),

claim as (
    select
        o.account_id,
        o.order_id,
        o.source_id,
        o.created_at,
        r.ref as name,
        -- Without the identity space before it.
        case when strpos(r.ref, ' ') between 1 and strpos(r.ref, '=') then substr(r.ref, strpos(r.ref, ' ') + 1)
            else r.ref end as ref
    from reused as r
    inner join link_node as n on n.node = r.node
    inner join book as o
        on o.account_id = $1 and o.order_id = n.record_id
    union all
    select o.account_id, o.order_id, o.source_id, o.created_at, k.idempotency_key, 'idempotency_key=' || k.idempotency_key
    from (
        select b.account_id, b.idempotency_key
        from book as b
        where b.account_id = $1 and b.idempotency_key is not null
        group by b.account_id, b.idempotency_key
        having count(*) > 1
    ) as k
    inner join book as o
        on o.account_id = k.account_id and o.idempotency_key = k.idempotency_key
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
window
    same_ref as (partition by c.account_id, c.ref, c.name),
    in_order as (partition by c.account_id, c.ref, c.name order by c.created_at, c.order_id)
