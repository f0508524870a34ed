-- rule: dispute_unbooked
-- title: Dispute the book does not carry
-- severity: high
-- grain: payment
-- needs: book, provider
-- proves: absence
-- param: grace interval = 1 hour
-- why: The customer's bank disputes the payment or has taken the money back, and the book knows nothing of it.
-- fix: Book the dispute and answer it in time; book the loss where it was lost.

-- One row: one charge with a dispute that is open or was lost, and no order of whose payment says disputed. One that is won,
-- or booked, heals; booked too is what the book calls refunded, as far as that covers dispute and refunds. Where the book
-- credited and the money is gone, it is credited_unpaid.
with book as (
    select
        o.account_id,
        o.payment_id,
        o.direction,
        bool_or(o.status = 'disputed') as is_disputed,
        -- It keeps nothing of it, or how much of it is back by its own account.
        bool_or(
            o.status in ('failed', 'cancelled', 'expired')
            or (o.status = 'refunded' and coalesce(o.refunded_amount >= o.amount, true))
        ) as is_over,
        sum(
            case o.status when 'refunded' then coalesce(o.refunded_amount, o.amount)
                else coalesce(o.refunded_amount, 0) end
        ) as refunded,
        max(o.status) as status,
        max(coalesce(o.updated_at, o.created_at)) as said_at
    from scope.book_order as o
    group by o.account_id, o.payment_id, o.direction
),

judged as (
    select
        v.account_id,
        v.payment_id,
        v.direction,
        bool_and(v.verdict in ('dispute_unbooked', 'awaiting', 'ambiguous')) as is_ours
    from scope.verdict as v
    group by v.account_id, v.payment_id, v.direction
)

select
    t.account_id,
    t.source_id,
    t.payment_id,
    'transaction:' || t.source_id || '/' || case t.resource when 'transaction' then '' else t.resource || '/' end
    || t.transaction_id as subject,
    'high' as severity,
    coalesce(v.difference, 0) as difference,
    coalesce(t.disputed, t.charged, 0) as at_risk,
    coalesce(v.difference_currency, t.charged_currency) as currency,
    greatest(t.disputed_at, coalesce(t.updated_at, t.created_at), b.said_at) + {grace} as due_at,
    jsonb_build_array(
        jsonb_build_object(
            'field', 'status', 'a', b.status, 'b', t.raw_status, 'a_from', 'book', 'b_from', 'provider'
        ),
        jsonb_build_object(
            'field', 'disputed',
            'a', null,
            'b', tieout.printed(coalesce(t.disputed, t.charged), x.exponent) || coalesce(' ' || t.charged_currency, ''),
            'a_from', 'book',
            'b_from', 'provider'
        )
    ) as fields
from scope.charge as t
inner join book as b
    on b.account_id = t.account_id and b.payment_id = t.payment_id and b.direction = t.direction
left join judged as j
    on j.account_id = t.account_id and j.payment_id = t.payment_id and j.direction = t.direction
left join scope.verdict as v
    on v.account_id = t.account_id
    and v.payment_id = t.payment_id
    and v.direction = t.direction
    and v.source_id = t.source_id
    and v.resource = t.resource
    and v.transaction_id = t.transaction_id
    and v.verdict = 'dispute_unbooked'
left join scope.currency as x
    on x.code = t.charged_currency
-- What refunds and disputes take together. Without an amount of its own the dispute is what its row says went back.
cross join lateral (
    select
        case when t.disputed is null and t.disputed_at is null then coalesce(t.returned, t.charged)
            else coalesce(t.returned, 0) + coalesce(t.disputed, t.charged) end as taken
) as w
where t.state = 'disputed'
    and not b.is_disputed
    and not (
        t.money = 'returned'
        and coalesce(w.taken <= case when b.is_over then greatest(b.refunded, t.charged) else b.refunded end, b.is_over)
    )
    and coalesce(j.is_ours, true)
