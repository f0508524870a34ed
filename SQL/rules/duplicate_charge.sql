-- rule: duplicate_charge
-- title: Duplicate charge
-- severity: critical
-- grain: customer
-- shares: transaction customer_id, charged, charged_currency
-- shares: book_order idempotency_key
-- needs: provider
-- proves: presence
-- param: window interval = 24 hours
-- why: The customer was charged more than once for what looks like one purchase.
-- fix: Refund the surplus charge, or acknowledge it if the customer really bought twice.

-- One row: one surplus charge, that is money held or taken and not given back in full, after the earliest.
with charge as not materialized (
    select
        t.account_id,
        t.source_id,
        t.resource,
        t.transaction_id,
        t.payment_id,
        t.direction,
        t.charged,
        t.charged_currency,
        t.returned,
        t.customer_id,
        coalesce(t.wallet_address, '') as wallet_address,
        t.refs,
        -- Not taken_at: an event that comes late must not make another charge the surplus one.
        t.created_at as charged_at
    from scope.charge as t
    where t.money in ('held', 'taken', 'delivered')
        and coalesce(t.charged > t.returned, true)
),

-- Orders under one idempotency key are one order.
order_key as (
    select distinct c.account_id, substr(c.ref, length('idempotency_key=') + 1) as idempotency_key
    from scope.claim as c
    where c.ref like 'idempotency\_key=%'
),

-- Only what is charged more than once goes on: nearly nothing is.
of_payment as (
    select c.account_id, c.payment_id
    from charge as c
    where c.payment_id is not null
    group by c.account_id, c.payment_id
    having count(*) > 1
),

of_customer as (
    select c.account_id, c.customer_id, c.charged_currency, c.charged, c.direction, c.wallet_address
    from charge as c
    where c.customer_id is not null and c.charged is not null and c.charged_currency is not null
    group by c.account_id, c.customer_id, c.charged_currency, c.charged, c.direction, c.wallet_address
    having count(*) > 1
),

of_key as (
    select distinct o.account_id, o.payment_id
    from scope.book_order as o
    inner join order_key as k
        on k.account_id = o.account_id and k.idempotency_key = o.idempotency_key
),

-- Joined, not asked for by "in", which beyond a size of its list would look through it for each charge.
suspect as materialized (
    select c.*, s.beneath
    from charge as c
    inner join scope.source as s
        on s.account_id = c.account_id and s.source_id = c.source_id
    left join of_payment as p
        on p.account_id = c.account_id and p.payment_id = c.payment_id
    left join of_customer as w
        on w.account_id = c.account_id
        and w.customer_id = c.customer_id
        and w.charged_currency = c.charged_currency
        and w.charged = c.charged
        and w.direction = c.direction
        and w.wallet_address = c.wallet_address
    left join of_key as k
        on k.account_id = c.account_id and k.payment_id = c.payment_id
    where p.payment_id is not null or w.customer_id is not null or k.payment_id is not null
),

book as (
    select
        o.account_id,
        o.payment_id,
        count(*) as orders,
        case count(*) when 1 then min(o.status) end as status,
        case count(*) when 1 then min(o.amount) end as amount,
        case count(*) when 1 then min(o.currency) end as currency,
        case count(*) when 1 then min(k.idempotency_key) end as idempotency_key
    from scope.book_order as o
    left join order_key as k
        on k.account_id = o.account_id and k.idempotency_key = o.idempotency_key
    where o.payment_id in (select s.payment_id from suspect as s)
    group by o.account_id, o.payment_id
),

-- Where several orders share a payment, only the one order id that a charge itself names says whose it is.
named_order as (
    select
        s.account_id,
        s.source_id,
        s.resource,
        s.transaction_id,
        case count(*) when 1 then min(o.order_id) end as order_id
    from suspect as s
    inner join book as b
        on b.account_id = s.account_id and b.payment_id = s.payment_id and b.orders > 1
    inner join scope.book_order as o
        on o.account_id = s.account_id
        and o.payment_id = s.payment_id
        and 'book:order=' || o.order_id = any(s.refs)
    group by s.account_id, s.source_id, s.resource, s.transaction_id
),

placed as (
    select
        s.*,
        s.source_id || '/' || case s.resource when 'transaction' then '' else s.resource || '/' end
            || s.transaction_id as name,
        b.status as book_status,
        b.amount as book_amount,
        b.currency as book_currency,
        case
            when b.orders > 1 then 'order ' || n.order_id
            when b.idempotency_key is not null then 'key ' || b.idempotency_key
            else 'payment ' || s.payment_id
        end as same_order,
        -- What lies beneath an aggregator and that no order explains may be what the aggregator shows, though nothing
        -- says so: it is held against its like only.
        case when b.payment_id is null then coalesce(s.beneath, '') else '' end as layer
    from suspect as s
    left join book as b
        on b.account_id = s.account_id and b.payment_id = s.payment_id
    left join named_order as n
        on n.account_id = s.account_id
        and n.source_id = s.source_id
        and n.resource = s.resource
        and n.transaction_id = s.transaction_id
),

compared as (
    select
        c.*,
        first_value(c.name) over same_order as first_of_order,
        row_number() over same_order as nth_of_order,
        row_number() over same_payment as nth_of_payment,
        -- Paid in parts that add up to the order: none is surplus.
        coalesce(
            sum(c.charged) over all_of_payment = c.book_amount
            and min(c.charged_currency) over all_of_payment = c.book_currency
            and max(c.charged_currency) over all_of_payment = c.book_currency,
            false
        ) as adds_up,
        lag(c.name) over same_customer as last_of_customer,
        lag(c.charged_at) over same_customer as last_at,
        lag(c.book_status) over same_customer as last_book_status
    from placed as c
    window
        all_of_payment as (partition by c.account_id, c.payment_id, c.direction),
        same_payment as (
            partition by c.account_id, c.payment_id, c.direction
            order by c.charged_at, c.name
        ),
        same_order as (
            partition by c.account_id, c.same_order, c.direction
            order by c.charged_at, c.name
        ),
        same_customer as (
            partition by
                c.account_id, c.customer_id, c.charged_currency, c.charged, c.direction, c.wallet_address,
                c.layer
            order by c.charged_at, c.name
        )
),

surplus as (
    select
        c.*,
        coalesce(c.charged - coalesce(c.returned, 0), 0) as unreturned,
        c.same_order is not null and c.nth_of_order > 1
        and not (c.adds_up and c.nth_of_payment > 1) as is_same_order,
        c.customer_id is not null
        and c.charged is not null
        and coalesce(c.last_at >= c.charged_at - {window}, false) as is_same_customer
    from compared as c
)

select
    s.account_id,
    s.source_id,
    s.payment_id,
    'transaction:' || s.name as subject,
    case
        when s.is_same_order then 'critical'
        when s.last_book_status in ('failed', 'expired') then 'high'
        else 'low'
    end as severity,
    -- What the provider charged beyond the book; a charge with an order of its own differs from nothing there.
    case when s.is_same_order and s.nth_of_payment > 1 then -coalesce(s.charged, 0) else 0 end as difference,
    s.unreturned as at_risk,
    s.charged_currency as currency,
    null::timestamptz as due_at,
    jsonb_build_array(
        jsonb_build_object(
            'field', case when s.is_same_order then 'charge of the same order' else 'charge of the same customer' end,
            'a', case when s.is_same_order then s.first_of_order else s.last_of_customer end,
            'b', s.name,
            'a_from', 'provider',
            'b_from', 'provider'
        ),
        jsonb_build_object(
            'field', 'charged',
            'a', null,
            'b', tieout.printed(s.charged, x.exponent) || ' ' || s.charged_currency,
            'a_from', 'provider',
            'b_from', 'provider'
        )
    ) as fields
from surplus as s
left join scope.currency as x
    on x.code = s.charged_currency
where s.is_same_order or s.is_same_customer
