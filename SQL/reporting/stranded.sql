-- One row: one thing that is open at a retired source, of which nobody will learn more: a break that stands; a transaction
-- whose money is under way; an order that waits, has none elsewhere, and is no break yet.
with retired as (
    select s.account_id, s.source_id
    from {lives} s
    where s.life = 'retired'
),
standing as (
    select b.source_id, b.rule, b.break_id, b.subject, b.order_id, b.transaction_id, b.payment_id, b.at_risk, b.currency,
        coalesce(b.event_at, b.opened_at) as since
    from {breaks} b
    join retired r on r.source_id = b.source_id
    where b.state in ('open', 'acknowledged')
),
-- Without a retired source nothing is read.
movement as (
    select t.source_id, t.resource, t.transaction_id, t.payment_id, t.raw_status, t.state, t.money, t.charged,
        t.charged_currency, t.returned, coalesce(t.updated_at, t.created_at) as since
    from {scope.charge} t
    where (select count(*) from retired r) > 0
      and t.source_id in (select r.source_id from retired r)
),
waiting as (
    select o.source_id, o.order_id, o.payment_id, o.status, o.amount, o.currency, coalesce(o.updated_at, o.created_at) as since
    from {scope.book_order} o
    where (select count(*) from retired r) > 0
      and o.source_id in (select r.source_id from retired r)
      and o.status in ('open', 'pending', 'paid')
      and not exists (
        select 1
        from {members} m
        where m.account_id = {account} and m.member = 'transaction' and m.payment_id = o.payment_id
          and m.source_id not in (select r.source_id from retired r)
      )
)
select b.source_id, 'break' as what, b.subject, b.order_id, b.transaction_id, b.payment_id, b.rule as says, b.break_id,
    b.since, b.at_risk as amount, b.currency
from standing b
union all
select
    t.source_id,
    'transaction',
    'transaction:' || t.source_id || '/' || case t.resource when 'transaction' then '' else t.resource || '/' end
        || t.transaction_id as subject,
    null,
    t.transaction_id,
    t.payment_id,
    t.raw_status,
    null,
    t.since,
    t.charged - coalesce(t.returned, 0),
    t.charged_currency
from movement t
where t.money in ('held', 'taken', 'unknown')
  and t.state not in ('settled', 'refunded')
  and not exists (
    select 1
    from standing b
    where b.subject = 'transaction:' || t.source_id || '/'
        || case t.resource when 'transaction' then '' else t.resource || '/' end || t.transaction_id
  )
union all
select o.source_id, 'order', 'order:' || o.order_id, o.order_id, null, o.payment_id, o.status, null, o.since, o.amount,
    o.currency
from waiting o
where not exists (select 1 from standing b where b.order_id = o.order_id)
  and not exists (select 1 from movement t where t.payment_id = o.payment_id and t.money in ('held', 'taken', 'unknown'))
