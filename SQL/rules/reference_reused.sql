-- rule: reference_reused
-- title: Reference used twice
-- severity: high
-- grain: customer
-- shares: book_order idempotency_key
-- needs: book
-- proves: presence
-- why: Two orders claim the same payment or the same idempotency key, so nobody can say whose it is; the reference ties nothing together until that is settled.
-- fix: Correct the order that took over the other's reference, and find out how it came by it.

-- One row: one order that claims a reference or an idempotency key which an older order claims already; each such
-- reference is a field.
select
    c.account_id,
    c.source_id,
    o.payment_id,
    'order:' || c.order_id as subject,
    'high' as severity,
    0::numeric as difference,
    0::numeric as at_risk,
    o.currency,
    null::timestamptz as due_at,
    jsonb_agg(
        jsonb_build_object(
            'field', c.ref,
            'a', 'order ' || c.first_order_id,
            'b', 'order ' || c.order_id,
            'a_from', 'book',
            'b_from', 'book'
        )
        order by c.ref
    ) as fields
from scope.claim as c
left join scope.book_order as o
    on o.account_id = c.account_id and o.order_id = c.order_id
where c.nth > 1
group by c.account_id, c.source_id, c.order_id, o.payment_id, o.currency
