-- rule: refund_mismatch
-- title: Refunds differ
-- severity: high
-- grain: payment
-- needs: book, provider
-- proves: absence
-- param: grace interval = 1 hour
-- why: What went back to the customer is not what the book says went back.
-- fix: Book the refund, or have it made; where a refund failed again, tell the customer.

-- One row: one order whose refunds in the book are not those of its charges, or whose state contradicts its refund (the
-- state matrix says which does). Of a charge that went back in full the amount counts too: more may have gone back than was
-- charged, or otherwise than the book says. What a dispute took back is dispute_unbooked, unless the book counts it as
-- refunded. What goes back of a surplus charge is no refund of the order, unless the book counts it in.
with touched as (
    -- Where nothing went back on either side, nothing can differ.
    select t.account_id, t.payment_id
    from scope.transaction as t
    where t.returned <> 0
    union
    select o.account_id, o.payment_id
    from scope.book_order as o
    where o.status = 'refunded' or o.refunded_amount <> 0
    union
    select v.account_id, v.payment_id
    from scope.verdict as v
    where v.verdict = 'refund_mismatch'
),

-- What each charge, each order and each verdict says, put together by one grouping: nobody can foresee how many rows
-- groups leave, and a join of two of them may compare all with all.
--   side   stays: the charge or a part of it is still there; back: it went back in full; order; verdict
said as (
    select
        t.account_id,
        t.payment_id,
        t.direction,
        case when t.money <> 'returned' and coalesce(t.returned < t.charged or t.returned = 0, true) then 'stays'
            else 'back' end as side,
        t.charged as amount,
        w.returned,
        case when t.money = 'returned' then t.charged_back end as taken_back,
        t.disputed > 0 or t.charged_back > 0 as is_disputed,
        t.charged_currency as currency,
        greatest(coalesce(t.updated_at, t.created_at), t.returned_at) as said_at,
        null as status,
        null as order_id,
        null as source_id,
        null as verdict
    from scope.charge as t
    cross join lateral (
        select
            coalesce(
                t.returned,
                case when t.money = 'returned' and t.state <> 'disputed' and t.charged_back is null then t.charged end,
                0
            ) as returned
    ) as w
    where (t.account_id, t.payment_id) in (select u.account_id, u.payment_id from touched as u)
        and t.money in ('taken', 'delivered', 'returned')
    union all
    select
        o.account_id,
        o.payment_id,
        o.direction,
        'order',
        o.amount,
        o.refunded_amount,
        null,
        null,
        o.currency,
        coalesce(o.updated_at, o.created_at),
        o.status,
        o.order_id,
        o.source_id,
        null
    from scope.book_order as o
    where (o.account_id, o.payment_id) in (select u.account_id, u.payment_id from touched as u)
    union all
    select v.account_id, v.payment_id, v.direction, 'verdict', null, null, null, null, null, null, null, null, null, v.verdict
    from scope.verdict as v
    where (v.account_id, v.payment_id) in (select u.account_id, u.payment_id from touched as u)
),

grouped as (
    select
        s.account_id,
        s.payment_id,
        s.direction,
        count(*) filter (where s.side = 'stays') as staying,
        sum(s.amount) filter (where s.side = 'stays') as charged,
        sum(s.returned) filter (where s.side = 'stays') as returned,
        min(s.currency) filter (where s.side = 'stays') as currency,
        max(s.currency) filter (where s.side = 'stays') as last_currency,
        count(*) filter (where s.side = 'back') as gone,
        sum(s.amount) filter (where s.side = 'back') as gone_charged,
        coalesce(sum(s.returned) filter (where s.side = 'back'), 0) as gone_returned,
        -- What was charged went back but once; whatever else did is surplus.
        max(least(s.returned, s.amount)) filter (where s.side = 'back') as gone_most,
        coalesce(sum(greatest(s.returned - s.amount, 0)) filter (where s.side = 'back'), 0) as surplus,
        min(s.currency) filter (where s.side = 'back') as gone_currency,
        max(s.currency) filter (where s.side = 'back') as gone_last_currency,
        coalesce(sum(s.taken_back), 0) as taken_back,
        coalesce(bool_or(s.is_disputed), false) as is_disputed,
        count(*) filter (where s.side = 'order') as orders,
        min(s.order_id) as order_id,
        min(s.source_id) as source_id,
        min(s.status) as status,
        sum(s.amount) filter (where s.side = 'order') as amount,
        sum(s.returned) filter (where s.side = 'order') as booked,
        min(s.currency) filter (where s.side = 'order') as book_currency,
        count(*) filter (where s.side = 'verdict') as verdicts,
        min(s.verdict) as verdict,
        max(s.said_at) as said_at
    from said as s
    group by s.account_id, s.payment_id, s.direction
),

-- What the amounts decide: the state matrix sees a refund, not how much of it.
comparable as (
    select
        g.account_id,
        g.payment_id,
        g.direction,
        g.order_id,
        g.source_id,
        g.book_currency as currency,
        g.said_at,
        case g.status when 'refunded' then coalesce(g.booked, g.amount) else coalesce(g.booked, 0) end as refunded,
        g.returned + case when g.gone_currency = g.gone_last_currency and g.gone_currency = g.currency then g.surplus
            else 0 end as returned,
        g.returned + g.gone_returned as all_returned
    from grouped as g
    where g.staying > 0
        and g.orders = 1
        -- What goes back of a surplus charge is no refund of the order.
        and (g.staying = 1 or g.charged = g.amount)
        and g.currency is not distinct from g.last_currency
        and g.currency = g.book_currency
        and (
            g.verdict is null
            or (g.verdicts = 1 and (g.verdict = 'awaiting' or (g.verdict = 'refund_mismatch' and g.returned > 0)))
        )
    union all
    -- Where no charge stays: the order's is one of those that went back, or the sum of its parts.
    select
        g.account_id,
        g.payment_id,
        g.direction,
        g.order_id,
        g.source_id,
        g.book_currency,
        g.said_at,
        b.refunded,
        case when b.refunded >= w.returned + g.taken_back then w.returned + g.taken_back else w.returned end,
        g.gone_returned
    from grouped as g
    cross join lateral (
        select case when g.gone = 1 or g.gone_charged = g.amount then g.gone_returned else g.gone_most + g.surplus end
            as returned
    ) as w
    cross join lateral (
        select
            case
                -- All of it, says the book, or knows of none: whatever was charged.
                when g.booked = g.amount or (g.status = 'refunded' and g.booked is null)
                    or (
                        coalesce(g.booked, 0) = 0
                        and g.status <> 'refunded'
                        and not (g.status = 'disputed' and g.is_disputed)
                    )
                    then w.returned - g.surplus
                else coalesce(g.booked, 0)
            end as refunded
    ) as b
    where g.staying = 0
        and g.gone > 0
        and g.orders = 1
        and g.gone_currency is not distinct from g.gone_last_currency
        and g.gone_currency = g.book_currency
        and g.verdict is null
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
where c.refunded not in (c.returned, c.all_returned)
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
