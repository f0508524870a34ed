-- rule: expired_session
-- title: Session lapsed unpaid, book not closed
-- severity: low
-- grain: payment
-- needs: book, provider
-- proves: absence
-- why: The payment session or authorization lapsed without money, and the book still waits for it or calls it paid.
-- fix: Close the order in the book; if it says paid, find out why.

-- One row: one order that the book calls open, pending or paid though its session or authorization lapsed unpaid (what
-- has not lapsed yet is awaiting).
with waiting as (
    select o.account_id, o.source_id, o.order_id, o.payment_id, o.status, o.amount, o.currency, o.expires_at
    from scope.book_order as o
    where o.status in ('open', 'pending', 'paid')
),

attempt as (
    select
        t.account_id,
        t.payment_id,
        bool_or(t.money <> 'none') as has_money,
        max(t.version_time) filter (where t.state = 'expired') as lapsed_at,
        (array_agg(t.raw_status order by t.version_time desc, t.source_id, t.transaction_id))[1] as raw_status
    from scope.transaction as t
    where t.payment_id in (select w.payment_id from waiting as w) and not t.is_test
    group by t.account_id, t.payment_id
)

select
    w.account_id,
    w.source_id,
    w.payment_id,
    'order:' || w.order_id as subject,
    'low' as severity,
    case w.status when 'paid' then w.amount else 0 end as difference,
    0::numeric as at_risk,
    w.currency,
    coalesce(w.expires_at, a.lapsed_at) as due_at,
    jsonb_build_array(
        jsonb_build_object(
            'field', 'status',
            'a', w.status,
            'b', coalesce(a.raw_status, 'no payment'),
            'a_from', 'book',
            'b_from', 'provider'
        ),
        jsonb_build_object(
            'field', 'lapsed',
            'a', to_char(coalesce(w.expires_at, a.lapsed_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
            'b', null,
            'a_from', case when w.expires_at is null then 'provider' else 'book' end,
            'b_from', case when w.expires_at is null then 'provider' else 'book' end
        )
    ) as fields
from waiting as w
left join attempt as a
    on a.account_id = w.account_id and a.payment_id = w.payment_id
where coalesce(w.expires_at, a.lapsed_at) is not null
    and not coalesce(a.has_money, false)
