-- rule: currency_mismatch
-- title: Currencies differ
-- severity: high
-- grain: payment
-- needs: book, provider
-- proves: presence
-- why: The customer was charged in another currency than the book promised; the two amounts cannot be compared.
-- fix: Find out which currency was meant; correct the order, or have the charge returned and made anew.

-- One row: one order's charge in another currency than the order's, where no charge is in the order's own. The first
-- that stayed stands for the order, as in amount_mismatch; where a payment holds several orders none is picked.
with differing as (
    select distinct t.account_id, t.payment_id, t.direction
    from scope.transaction as t
    inner join scope.book_order as o
        on o.account_id = t.account_id
        and o.payment_id = t.payment_id
        and o.direction = t.direction
    where o.currency <> t.charged_currency
        and t.money in ('held', 'taken', 'delivered', 'returned')
        and not t.is_test
),

-- Nearly all agree: only of the others is anything else asked.
charge as (
    select
        t.account_id,
        t.payment_id,
        t.direction,
        t.source_id,
        t.resource,
        t.transaction_id,
        t.created_at,
        t.charged,
        t.charged_currency,
        t.returned,
        t.money <> 'returned' and coalesce(t.charged > t.returned, true) as stays
    from scope.charge as t
    inner join differing as d
        on d.account_id = t.account_id and d.payment_id = t.payment_id and d.direction = t.direction
    where t.money in ('held', 'taken', 'delivered', 'returned')
),

orders as (
    select
        o.account_id,
        o.payment_id,
        min(o.direction) as direction,
        min(o.currency) as currency,
        min(o.amount) as amount,
        min(case when o.book_money in ('none', 'unknown') then 0 else o.amount end) as booked
    from scope.book_order as o
    where o.payment_id in (select d.payment_id from differing as d)
    group by o.account_id, o.payment_id
    having count(*) = 1
),

first_charge as (
    select distinct on (c.account_id, c.payment_id, c.direction)
        c.*,
        bool_or(c.charged_currency = o.currency and c.stays)
            over (partition by c.account_id, c.payment_id, c.direction) as has_own,
        o.currency,
        o.amount,
        o.booked
    from charge as c
    inner join orders as o
        on o.account_id = c.account_id and o.payment_id = c.payment_id and o.direction = c.direction
    order by
        c.account_id, c.payment_id, c.direction, c.stays desc, c.created_at, c.source_id, c.transaction_id
)

select
    f.account_id,
    f.source_id,
    f.payment_id,
    'transaction:' || f.source_id || '/' || case f.resource when 'transaction' then '' else f.resource || '/' end
    || f.transaction_id as subject,
    'high' as severity,
    -- In the order's currency the provider has nothing; the charge itself is the field charged.
    f.booked as difference,
    case when f.stays then f.amount else 0 end as at_risk,
    f.currency,
    null::timestamptz as due_at,
    jsonb_build_array(
        jsonb_build_object(
            'field', 'currency',
            'a', f.currency,
            'b', f.charged_currency,
            'a_from', 'book',
            'b_from', 'provider'
        ),
        jsonb_build_object(
            'field', 'amount',
            'a', tieout.printed(f.amount, x.exponent),
            'b', tieout.printed(f.charged, y.exponent),
            'a_from', 'book',
            'b_from', 'provider'
        )
    )
    || case when f.stays then '[]'::jsonb else
        jsonb_build_array(
            jsonb_build_object(
                'field', 'returned',
                'a', null,
                'b', tieout.printed(coalesce(f.returned, f.charged), y.exponent),
                'a_from', 'book',
                'b_from', 'provider'
            )
        )
    end as fields
from first_charge as f
left join scope.currency as x
    on x.code = f.currency
left join scope.currency as y
    on y.code = f.charged_currency
where f.charged_currency <> f.currency and not coalesce(f.has_own, false)
