-- rule: refund_mismatch
-- title: Refunds differ
-- severity: high
-- grain: payment
-- needs: book, provider
-- proves: absence
-- param: grace interval = 1 hour
-- why: What went back to the customer is not what the book says went back.
-- fix: Book the refund, or have it made; where a refund failed again, tell the customer.

-- One row: one order whose refunds in the book are not those of its charges that stayed (a charge that went back in full is
-- the state's matter), or whose state contradicts its refund (the state matrix says which does).
with paid as (
    select
        t.account_id,
        t.payment_id,
        t.direction,
        count(*) as charges,
        sum(t.charged) as charged,
        sum(coalesce(t.returned, 0)) as returned,
        min(t.charged_currency) as currency,
        min(t.charged_currency) is distinct from max(t.charged_currency) as is_mixed,
        max(greatest(coalesce(t.updated_at, t.created_at), t.returned_at)) as said_at
    from scope.charge as t
    where t.money in ('taken', 'delivered')
        and coalesce(t.returned < t.charged or t.returned = 0, true)
    group by t.account_id, t.payment_id, t.direction
),

booked as (
    select
        o.account_id,
        o.payment_id,
        o.direction,
        count(*) as orders,
        min(o.order_id) as order_id,
        min(o.source_id) as source_id,
        min(o.currency) as currency,
        sum(o.amount) as amount,
        sum(case o.status when 'refunded' then coalesce(o.refunded_amount, o.amount) else coalesce(o.refunded_amount, 0) end)
            as refunded,
        max(coalesce(o.updated_at, o.created_at)) as said_at
    from scope.book_order as o
    group by o.account_id, o.payment_id, o.direction
),

judged as (
    select v.account_id, v.payment_id, v.direction, min(v.verdict) as verdict, count(*) as verdicts
    from scope.verdict as v
    group by v.account_id, v.payment_id, v.direction
),

-- What the amounts decide: the state matrix sees a refund, not how much of it.
comparable as (
    select
        b.account_id,
        b.payment_id,
        b.direction,
        b.order_id,
        b.source_id,
        b.refunded,
        p.returned,
        b.currency,
        greatest(b.said_at, p.said_at) as said_at
    from booked as b
    inner join paid as p
        on p.account_id = b.account_id and p.payment_id = b.payment_id and p.direction = b.direction
    left join judged as j
        on j.account_id = b.account_id and j.payment_id = b.payment_id and j.direction = b.direction
    where b.orders = 1
        -- What goes back of a surplus charge is no refund of the order.
        and (p.charges = 1 or p.charged = b.amount)
        and not p.is_mixed
        and p.currency = b.currency
        and (
            j.verdict is null
            or (j.verdicts = 1 and (j.verdict = 'awaiting' or (j.verdict = 'refund_mismatch' and p.returned > 0)))
        )
)

select
    c.account_id,
    c.source_id,
    c.payment_id,
    'order:' || c.order_id as subject,
    'high' as severity,
    c.refunded - c.returned as difference,
    abs(c.refunded - c.returned) as at_risk,
    c.currency,
    c.said_at + {grace} as due_at,
    jsonb_build_array(
        jsonb_build_object(
            'field', 'refunded',
            'a', tieout.printed(c.refunded, x.exponent) || ' ' || c.currency,
            'b', tieout.printed(c.returned, x.exponent) || ' ' || c.currency,
            'a_from', 'book',
            'b_from', 'provider'
        )
    ) as fields
from comparable as c
left join scope.currency as x
    on x.code = c.currency
where c.returned <> c.refunded
union all
select
    v.account_id,
    v.order_source_id,
    v.payment_id,
    'order:' || v.order_id,
    'high',
    v.difference,
    coalesce(nullif(v.charged, 0), v.amount),
    v.difference_currency,
    greatest(v.book_at, v.provider_at) + {grace},
    v.said
from scope.verdict as v
left join comparable as c
    on c.account_id = v.account_id and c.payment_id = v.payment_id and c.direction = v.direction
where v.verdict = 'refund_mismatch' and c.order_id is null
