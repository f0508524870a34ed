-- One row: one session or order that lapsed unpaid. `says` tells who says so: both sides (plain abandonment, no
-- break), the book alone (the provider still has it open, or its feed does not reach that far), the provider alone,
-- or a break of rule expired_session. What lapsed in the period began at most 92 days before it.
with unpaid as (
    select
        t.source_id,
        t.transaction_id,
        t.raw_status,
        t.state,
        t.created_at,
        coalesce(t.updated_at, t.version_time) as lapsed_at,
        t.charged,
        t.charged_currency,
        t.segment,
        t.money,
        t.is_test,
        t.payment_id
    from {scope.transaction} t
    left join {scope.second_view} p on p.account_id = t.account_id and p.source_id = t.source_id
        and p.resource = t.resource and p.transaction_id = t.transaction_id
    where t.resource = 'transaction'
      and p.transaction_id is null
      and t.created_at >= coalesce({period_from} - interval '92 days', '-infinity')
),
verdict as (
    select
        u.payment_id,
        bool_or(u.money <> 'none') as is_paid,
        bool_or(u.state not in ('expired', 'cancelled', 'declined', 'failed')) as is_open
    from unpaid u
    where u.payment_id is not null and not u.is_test
    group by u.payment_id
),
session as (
    select u.*
    from unpaid u
    where u.state in ('expired', 'cancelled', 'declined', 'failed') and u.money = 'none' and not u.is_test
),
lapsed_order as (
    select
        o.source_id,
        o.order_id,
        o.status,
        o.created_at,
        coalesce(o.expires_at, o.failed_at, o.updated_at, o.version_time) as lapsed_at,
        o.amount,
        o.currency,
        o.segment,
        o.payment_id
    from {scope.book_order} o
    where o.status = 'expired'
      and o.created_at >= coalesce({period_from} - interval '92 days', '-infinity')
),
pairs as (
    select
        coalesce(o.source_id, s.source_id) as source_id,
        o.order_id,
        s.transaction_id,
        o.status as book_status,
        s.raw_status as provider_status,
        coalesce(o.created_at, s.created_at) as created_at,
        coalesce(o.lapsed_at, s.lapsed_at) as lapsed_at,
        coalesce(o.amount, s.charged) as amount,
        coalesce(o.currency, s.charged_currency) as currency,
        coalesce(o.segment, s.segment) as segment,
        case
            when o.order_id is null then 'the provider alone'
            when coalesce(v.is_open, false) then 'the book alone'
            when s.transaction_id is null and not coalesce(f.watermark >= o.lapsed_at, false) then 'the book alone'
            else 'both sides'
        end as says,
        null::text as break_id
    from lapsed_order o
    full join session s on s.payment_id = o.payment_id
    left join verdict v on v.payment_id = coalesce(o.payment_id, s.payment_id)
    left join {feed_state} f on f.source_id = o.source_id and f.feed = 'provider'
    where not coalesce(v.is_paid, false)
      and (o.order_id is not null or s.state in ('expired', 'cancelled'))
      and (
        coalesce(o.lapsed_at, s.lapsed_at) >= coalesce({period_from}, '-infinity')
        or (s.source_id, s.transaction_id)
            in (select l.source_id, l.transaction_id from {late} l where l.resource = 'transaction')
      )
      and coalesce(o.lapsed_at, s.lapsed_at) < coalesce({period_to}, 'infinity')
      and not exists (
        select 1
        from {breaks} b
        where b.rule = 'expired_session' and b.state in ('open', 'acknowledged')
          and (b.order_id = o.order_id or b.transaction_id = s.transaction_id and b.source_id = s.source_id)
    )
)
select * from pairs
union all
select
    b.source_id,
    b.order_id,
    b.transaction_id,
    o.status,
    t.raw_status,
    coalesce(o.created_at, t.created_at),
    coalesce(b.due_at, b.event_at, b.opened_at),
    coalesce(o.amount, t.charged),
    coalesce(o.currency, t.charged_currency, b.currency),
    b.segment,
    'a break',
    b.break_id
from {breaks} b
left join {scope.book_order} o on o.order_id = b.order_id
left join {scope.transaction} t on t.source_id = b.source_id and t.resource = 'transaction'
    and t.transaction_id = b.transaction_id
where b.rule = 'expired_session' and b.state in ('open', 'acknowledged')
