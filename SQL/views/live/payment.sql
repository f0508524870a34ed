-- One row: one payment, that is everything that shares references. order_id and transaction_id are given where there
-- is exactly one, second views left out. The amounts are those of primary rows, and only where all are in one currency
-- (currency): nothing is summed across currencies.
with transactions as (
    select
        t.account_id,
        t.payment_id,
        count(*) as transactions,
        min(t.transaction_id) as transaction_id,
        min(t.source_id) as source_id,
        min(t.direction) as direction,
        min(t.created_at) as first_at,
        max(t.version_time) as last_at,
        count(distinct t.charged_currency) as currencies,
        min(t.charged_currency) as currency,
        sum(t.charged) filter (where t.money = 'held') as held,
        sum(t.charged) filter (where t.money = 'taken') as taken,
        sum(t.charged) filter (where t.money = 'delivered') as delivered,
        sum(coalesce(t.returned, case t.money when 'returned' then t.charged end)) as returned,
        sum(t.disputed) as disputed
    from scope.charge as t
    group by t.account_id, t.payment_id
),

orders as (
    select
        o.account_id,
        o.payment_id,
        count(*) as orders,
        min(o.order_id) as order_id,
        min(o.source_id) as source_id,
        min(o.direction) as direction,
        min(o.status) as status,
        min(o.created_at) as first_at,
        max(o.version_time) as last_at
    from scope.book_order as o
    group by o.account_id, o.payment_id
),

members as (
    select m.account_id, m.payment_id, count(*) filter (where m.member = 'event') as events
    from scope.member as m
    group by m.account_id, m.payment_id
)

select
    m.account_id,
    m.payment_id,
    coalesce(t.source_id, o.source_id) as source_id,
    coalesce(t.direction, o.direction) as direction,
    coalesce(o.orders, 0) as orders,
    case o.orders when 1 then o.order_id end as order_id,
    case o.orders when 1 then o.status end as book_status,
    coalesce(t.transactions, 0) as transactions,
    case t.transactions when 1 then t.transaction_id end as transaction_id,
    m.events,
    least(t.first_at, o.first_at) as first_at,
    greatest(t.last_at, o.last_at) as last_at,
    case t.currencies when 1 then t.currency end as currency,
    case t.currencies when 1 then t.held end as held,
    case t.currencies when 1 then t.taken end as taken,
    case t.currencies when 1 then t.delivered end as delivered,
    case t.currencies when 1 then t.returned end as returned,
    case t.currencies when 1 then t.disputed end as disputed
from members as m
left join transactions as t
    on t.account_id = m.account_id and t.payment_id = m.payment_id
left join orders as o
    on o.account_id = m.account_id and o.payment_id = m.payment_id
