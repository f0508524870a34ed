-- rule: amount_mismatch
-- title: Amounts differ
-- severity: high
-- grain: payment
-- needs: book, provider
-- proves: presence
-- param: tolerance numeric = 0.01
-- why: What the customer was charged, or received, is not what the book promised.
-- fix: Compare with the provider's receipt; a factor of 10 or 100 is a currency's digits read wrongly.

-- One row: one charge whose amount, or what was delivered for it, differs from its order's; amounts in different
-- currencies are not compared. Where a payment holds several orders nobody can say which charge is whose: none is picked.
with charge as not materialized (
    select
        t.account_id,
        t.source_id,
        t.resource,
        t.transaction_id,
        t.payment_id,
        t.direction,
        t.created_at,
        t.money,
        t.money <> 'returned' and coalesce(t.charged > t.returned, true) as stays,
        t.charged,
        t.charged_currency,
        t.delivered,
        t.delivered_currency,
        t.fee_network,
        t.fee_provider,
        t.fee_partner,
        t.fee_other,
        t.fee_total,
        t.fee_currency,
        t.flags
    from scope.charge as t
    where t.money in ('held', 'taken', 'delivered', 'returned')
),

-- Only what differs goes on: nearly everything agrees.
differing as materialized (
    select
        c.*,
        o.order_id,
        o.amount,
        o.currency,
        o.destination_amount,
        o.destination_currency,
        o.currency = c.charged_currency and o.amount is distinct from c.charged and c.charged is not null
            as charge_differs,
        coalesce(
            c.money = 'delivered'
            and o.destination_currency = c.delivered_currency
            and abs(c.delivered - o.destination_amount)
            > o.destination_amount * case when 'locked_quote' = any(c.flags) then 0 else {tolerance} end,
            false
        ) as delivery_differs
    from charge as c
    inner join scope.book_order as o
        on o.account_id = c.account_id
        and o.payment_id = c.payment_id
        and o.direction = c.direction
    where (
            (o.currency = c.charged_currency and o.amount <> c.charged)
            or (
                c.money = 'delivered'
                and o.destination_currency = c.delivered_currency
                and o.destination_amount <> c.delivered
            )
        )
        -- What came and went while the book knew of nothing differs from nothing.
        and (c.stays or o.book_money not in ('none', 'unknown'))
),

-- How the payment of each stands as a whole.
whole as (
    select
        c.account_id,
        c.payment_id,
        c.direction,
        sum(c.charged) filter (where c.stays) as charged,
        count(distinct c.charged_currency) as currencies
    from charge as c
    where c.payment_id in (select d.payment_id from differing as d)
    group by c.account_id, c.payment_id, c.direction
),

orders as (
    select o.account_id, o.payment_id, count(*) as orders
    from scope.book_order as o
    where o.payment_id in (select d.payment_id from differing as d)
    group by o.account_id, o.payment_id
),

-- The first charge that stayed stands for the order; later ones are surplus (duplicate_charge).
first_charge as (
    select distinct on (c.account_id, c.payment_id, c.direction)
        c.account_id, c.payment_id, c.direction, c.source_id, c.resource, c.transaction_id
    from charge as c
    where c.payment_id in (select d.payment_id from differing as d)
    order by
        c.account_id, c.payment_id, c.direction, c.stays desc, c.created_at, c.source_id, c.transaction_id
),

standing as (
    select d.*, d.charge_differs and not p.adds_up as is_charge
    from differing as d
    inner join first_charge as f
        on f.account_id = d.account_id
        and f.payment_id = d.payment_id
        and f.direction = d.direction
        and f.source_id = d.source_id
        and f.resource = d.resource
        and f.transaction_id = d.transaction_id
    inner join whole as w
        on w.account_id = d.account_id and w.payment_id = d.payment_id and w.direction = d.direction
    inner join orders as n
        on n.account_id = d.account_id and n.payment_id = d.payment_id and n.orders = 1
    -- Paid in parts that add up.
    cross join lateral (select w.currencies = 1 and coalesce(w.charged = d.amount, false) as adds_up) as p
    where (d.charge_differs and not p.adds_up) or d.delivery_differs
),

measured as (
    select
        d.*,
        case when d.is_charge then d.amount - d.charged else d.destination_amount - d.delivered end as difference,
        case when d.is_charge then d.currency else d.destination_currency end as difference_currency,
        (
            select min(u.flag)
            from unnest(d.flags) as u (flag)
            where u.flag like 'fees\_on\_top=%' or u.flag like 'fees\_included=%'
        ) as other_reading,
        case
            when not d.is_charge then null
            when d.amount = 0 or d.charged = 0 then null
            when d.amount = d.charged * 1000 or d.charged = d.amount * 1000 then 'factor 1000'
            when d.amount = d.charged * 100 or d.charged = d.amount * 100 then 'factor 100'
            when d.amount = d.charged * 10 or d.charged = d.amount * 10 then 'factor 10'
            when d.fee_currency = d.currency
                and abs(d.charged - d.amount) in (
                    d.fee_total, d.fee_network, d.fee_provider, d.fee_partner, d.fee_other,
                    d.fee_network + d.fee_provider, d.fee_provider + d.fee_partner
                ) then 'fee inside'
        end as hint
    from standing as d
)

select
    m.account_id,
    m.source_id,
    m.payment_id,
    'transaction:' || m.source_id || '/' || case m.resource when 'transaction' then '' else m.resource || '/' end
    || m.transaction_id as subject,
    'high' as severity,
    m.difference,
    abs(m.difference) as at_risk,
    m.difference_currency as currency,
    null::timestamptz as due_at,
    case when m.is_charge then
        jsonb_build_array(
            jsonb_build_object(
                'field', 'amount',
                'a', tieout.printed(m.amount, x.exponent),
                'b', tieout.printed(m.charged, x.exponent),
                'a_from', 'book',
                'b_from', 'provider'
            )
        )
    else '[]'::jsonb end
    -- Where the record can be read in two ways neither fits.
    || case when m.is_charge and m.other_reading is not null then
        jsonb_build_array(
            jsonb_build_object(
                'field', 'amount, ' || replace(split_part(m.other_reading, '=', 1), '_', ' '),
                'a', null,
                'b', tieout.printed(split_part(m.other_reading, '=', 2)::numeric, x.exponent),
                'a_from', 'book',
                'b_from', 'provider'
            )
        )
    else '[]'::jsonb end
    || case when m.delivery_differs then
        jsonb_build_array(
            jsonb_build_object(
                'field', 'delivered',
                'a', tieout.printed(m.destination_amount, y.exponent),
                'b', tieout.printed(m.delivered, y.exponent),
                'a_from', 'book',
                'b_from', 'provider'
            )
        )
    else '[]'::jsonb end
    || case when m.hint is not null then
        jsonb_build_array(
            jsonb_build_object('field', 'hint', 'a', m.hint, 'b', null, 'a_from', 'rule', 'b_from', 'rule')
        )
    else '[]'::jsonb end as fields
from measured as m
left join scope.currency as x
    on x.code = m.currency
left join scope.currency as y
    on y.code = m.destination_currency
