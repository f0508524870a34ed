-- One row: one order and what its payment came to at the provider, or the money of one payment that no order claims,
-- per direction, where the two sides do not simply agree: verdict is awaiting, ambiguous, or the rule whose matter it
-- is (the state matrix decides). A payment with one order is judged as a whole, not attempt by attempt: its furthest
-- money counts. Where it has several, each has the charges that name it; money that names none makes all ambiguous.
--   word          the book's status; a cancellation after the session lapsed is an expiry
--   booked        what the book says was charged
--   money, state  of the transaction that got furthest (transaction_id), null where there is none
--   charged       of the charge that stands for the order: parts that add up, else the first that stayed; later ones
--                 are surplus. unreturned: what of it did not go back
--   difference    booked - charged, in difference_currency. said: what each side says, as the fields of a finding
with line as (
    select
        o.account_id,
        o.payment_id,
        o.direction,
        o.order_id,
        o.source_id,
        o.status,
        o.is_known,
        case
            when o.status = 'cancelled' and coalesce(o.failed_at, o.updated_at, o.version_time) >= o.expires_at
                then 'expired'
            else o.status
        end as word,
        o.amount,
        o.currency,
        case when o.book_money in ('none', 'unknown') then 0 else o.amount end as booked,
        -- When it came to say so; a book without times says no more than when the order began.
        coalesce(
            case o.status
                when 'paid' then o.paid_at
                when 'credited' then o.credited_at
                when 'failed' then o.failed_at
                when 'cancelled' then o.failed_at
            end,
            o.updated_at,
            case o.status when 'expired' then o.expires_at end,
            o.created_at
        ) as book_at,
        o.expires_at,
        o.provider_transaction_id,
        -- What it calls paid or credited, and refunded beside it: where the money is back, how much is compared.
        o.status in ('paid', 'credited') and coalesce(o.refunded_amount > 0, false) as is_refunded
    from scope.book_order as o
),

-- Payments in which orders, or charges, must be told apart: few.
crowd as (
    select o.account_id, o.payment_id, o.direction
    from scope.book_order as o
    group by o.account_id, o.payment_id, o.direction
    having count(*) > 1
),

-- Not held: it would be as large as all transactions, and whoever asks wants few of them or reads them once.
charge as not materialized (
    select
        t.account_id,
        t.payment_id,
        t.direction,
        t.source_id,
        t.resource,
        t.transaction_id,
        t.raw_status,
        t.state,
        case
            when t.money in ('held', 'taken', 'delivered') and t.returned >= t.charged and t.returned > 0
                then 'returned'
            else t.money
        end as money,
        t.charged,
        t.charged_currency,
        t.returned,
        t.created_at,
        greatest(coalesce(t.updated_at, t.created_at), t.returned_at, t.disputed_at) as provider_at,
        t.refs
    from scope.charge as t
),

several as (
    select t.account_id, t.payment_id, t.direction
    from charge as t
    group by t.account_id, t.payment_id, t.direction
    having count(*) > 1
    union
    select c.account_id, c.payment_id, c.direction
    from crowd as c
),

tangled as (
    select
        c.*,
        c.money in ('held', 'taken', 'delivered') as stays,
        case c.money
            when 'delivered' then 5 when 'taken' then 4 when 'held' then 3 when 'unknown' then 2 when 'returned' then 1
            else 0
        end as reach,
        case when w.payment_id is null then '' else coalesce(n.order_id, '?') end as key
    from charge as c
    inner join several as v
        on v.account_id = c.account_id and v.payment_id = c.payment_id and v.direction = c.direction
    left join crowd as w
        on w.account_id = c.account_id and w.payment_id = c.payment_id and w.direction = c.direction
    -- The one order of several that it names.
    left join (
        select
            c.account_id,
            c.source_id,
            c.resource,
            c.transaction_id,
            min(o.order_id) as order_id
        from crowd as w
        inner join charge as c
            on c.account_id = w.account_id and c.payment_id = w.payment_id and c.direction = w.direction
        inner join scope.book_order as o
            on o.account_id = c.account_id
            and o.payment_id = c.payment_id
            and o.direction = c.direction
            and 'book:order=' || o.order_id = any(c.refs)
        group by c.account_id, c.source_id, c.resource, c.transaction_id
        having count(*) = 1
    ) as n
        on n.account_id = c.account_id
        and n.source_id = c.source_id
        and n.resource = c.resource
        and n.transaction_id = c.transaction_id
),

ordered as (
    select
        t.*,
        count(*) over whole as transactions,
        row_number() over (
            partition by t.account_id, t.payment_id, t.direction, t.key
            order by
                t.reach desc, t.state in ('declined', 'failed', 'cancelled', 'expired', 'refunded'),
                t.provider_at desc, t.source_id, t.resource, t.transaction_id
        ) as nth_furthest,
        -- The first that stays. Not joined with: nobody can foresee how many there are, and all might be compared with all.
        first_value(t.source_id) over in_staying as first_source_id,
        first_value(t.resource) over in_staying as first_resource,
        first_value(t.transaction_id) over in_staying as first_transaction_id,
        first_value(t.charged) over in_staying as first_charged,
        first_value(t.charged_currency) over in_staying as first_currency,
        first_value(t.returned) over in_staying as first_returned,
        sum(t.charged) filter (where t.stays) over whole as stayed,
        sum(t.returned) filter (where t.stays) over whole as went_back,
        max(t.charged) filter (where t.money = 'returned') over whole as most_returned,
        min(t.charged_currency) filter (where t.stays) over whole = max(t.charged_currency)
            filter (where t.stays) over whole as is_one_currency
    from tangled as t
    window
        whole as (partition by t.account_id, t.payment_id, t.direction, t.key),
        in_staying as (
            partition by t.account_id, t.payment_id, t.direction, t.key
            order by
                t.stays desc, t.money = 'returned' desc, t.created_at, t.source_id, t.resource,
                t.transaction_id
        )
),

money as (
    select
        c.account_id,
        c.payment_id,
        c.direction,
        '' as key,
        1::bigint as transactions,
        c.source_id,
        c.resource,
        c.transaction_id,
        c.raw_status,
        c.state,
        c.money,
        c.provider_at,
        c.source_id as first_source_id,
        c.resource as first_resource,
        c.transaction_id as first_transaction_id,
        c.charged as first_charged,
        c.charged_currency,
        c.returned as first_returned,
        c.charged as stayed,
        c.returned as went_back
    from charge as c
    left join several as v
        on v.account_id = c.account_id and v.payment_id = c.payment_id and v.direction = c.direction
    where v.payment_id is null
    union all
    select
        a.account_id,
        a.payment_id,
        a.direction,
        a.key,
        a.transactions,
        a.source_id,
        a.resource,
        a.transaction_id,
        a.raw_status,
        a.state,
        a.money,
        a.provider_at,
        a.first_source_id,
        a.first_resource,
        a.first_transaction_id,
        case a.money when 'returned' then a.most_returned else a.first_charged end,
        a.first_currency,
        a.first_returned,
        case when a.is_one_currency then a.stayed end,
        a.went_back
    from ordered as a
    where a.nth_furthest = 1
),

unclear as (
    select distinct t.account_id, t.payment_id, t.direction
    from tangled as t
    where t.key = '?' and t.money <> 'none'
),

-- Orders whose reference another order claims too: it links nothing, so nobody can say what they miss. And the charges
-- that carry it.
contested as (
    select distinct c.account_id, c.order_id
    from scope.claim as c
    where c.ref not like 'idempotency\_key=%'
),

claimed as (
    select distinct t.account_id, t.payment_id
    from scope.transaction as t
    -- Money that an order explains is nobody else's; few are left.
    left join crowd as w
        on w.account_id = t.account_id and w.payment_id = t.payment_id and w.direction = t.direction
    left join scope.book_order as o
        on o.account_id = t.account_id and o.payment_id = t.payment_id and o.direction = t.direction
    cross join lateral unnest(t.refs) as u (ref)
    inner join scope.claim as c
        on c.account_id = t.account_id and c.ref = u.ref
    -- Asked first, so that nothing is taken apart where nothing is contested.
    where (select count(*) from contested as d) > 0 and (o.order_id is null or w.payment_id is not null)
),

paired as (
    select
        coalesce(o.account_id, m.account_id) as account_id,
        coalesce(o.payment_id, m.payment_id) as payment_id,
        coalesce(o.direction, m.direction) as direction,
        o.order_id,
        o.source_id as order_source_id,
        o.status, o.is_known, o.word, o.is_refunded, o.amount, o.currency,
        coalesce(o.booked, 0) as booked,
        o.book_at, o.expires_at, o.provider_transaction_id,
        m.key,
        coalesce(m.transactions, 0) as transactions,
        m.source_id, m.resource, m.transaction_id, m.raw_status, m.state, m.money, m.provider_at,
        m.first_source_id, m.first_resource, m.first_transaction_id, m.first_charged, m.charged_currency,
        m.first_returned, m.stayed, m.went_back
    from (
        select l.*, case when w.payment_id is null then '' else l.order_id end as key
        from line as l
        left join crowd as w
            on w.account_id = l.account_id and w.payment_id = l.payment_id and w.direction = l.direction
    ) as o
    full join money as m
        on m.account_id = o.account_id
        and m.payment_id = o.payment_id
        and m.direction = o.direction
        and m.key = o.key
),

-- Held: looked up in the table for each order it would cost as much as all else together.
matrix as materialized (
    select x.direction, x.book_status, x.money, x.state, x.verdict, x.why
    from scope.state_matrix as x
),

judged as (
    select
        p.*,
        case
            when p.key = '?' then 'agree'
            when p.order_id is null then
                case
                    when r.payment_id is not null then 'ambiguous'
                    when p.money in ('held', 'taken', 'delivered') and p.first_charged is distinct from 0
                        then 'book_missing'
                    else 'agree'
                end
            when u.payment_id is not null or (p.transactions = 0 and d.order_id is not null) then 'ambiguous'
            when not p.is_known then 'unknown_value'
            when p.transactions = 0 then
                case
                    -- What costs nothing needs no payment.
                    when p.amount = 0 then 'agree'
                    when p.status = 'credited' then 'credited_unpaid'
                    when p.status in ('paid', 'refunded', 'disputed') then 'provider_missing'
                    when p.status in ('open', 'pending') then 'awaiting'
                    else 'agree'
                end
            else x.verdict
        end as verdict,
        x.why
    from paired as p
    left join matrix as x
        on x.direction = p.direction
        and x.book_status = case when p.is_refunded and p.money = 'returned' then 'refunded' else p.word end
        and x.money = p.money
        and x.state = p.state
    left join unclear as u
        on u.account_id = p.account_id and u.payment_id = p.payment_id and u.direction = p.direction
    left join contested as d on d.account_id = p.account_id and d.order_id = p.order_id
    left join claimed as r
        on r.account_id = p.account_id and r.payment_id = p.payment_id and p.order_id is null
),

measured as (
    select
        j.*,
        case
            when j.money in ('held', 'taken', 'delivered') then
                case when j.stayed = j.amount and j.charged_currency = j.currency then j.stayed else j.first_charged end
            -- What came and went while the book knew of nothing differs from nothing.
            when j.money = 'returned' and j.booked <> 0 then j.first_charged
            else 0
        end as charged,
        case
            when j.money in ('held', 'taken', 'delivered') then
                greatest(
                    case when j.stayed = j.amount and j.charged_currency = j.currency
                        then j.stayed - coalesce(j.went_back, 0)
                        else j.first_charged - coalesce(j.first_returned, 0) end,
                    0
                )
            else 0
        end as unreturned
    from judged as j
    where j.verdict <> 'agree'
)

select
    m.account_id,
    m.payment_id,
    m.direction,
    m.order_id,
    m.order_source_id,
    m.status,
    m.word,
    m.amount,
    m.currency,
    m.booked,
    m.book_at,
    m.expires_at,
    m.provider_transaction_id,
    m.transactions,
    m.source_id,
    m.resource,
    m.transaction_id,
    m.raw_status,
    m.state,
    m.money,
    m.provider_at,
    m.first_source_id,
    m.first_resource,
    m.first_transaction_id,
    m.charged,
    m.charged_currency,
    m.unreturned,
    -- Amounts in two currencies have no difference: the book's stands, else the provider's.
    case
        when m.verdict = 'ambiguous' then 0
        when m.charged_currency = m.currency or m.charged_currency is null or m.currency is null
            then m.booked - coalesce(m.charged, 0)
        when m.booked = 0 then -coalesce(m.charged, 0)
        else m.booked
    end as difference,
    case
        when m.booked = 0 and coalesce(m.charged, 0) <> 0 then coalesce(m.charged_currency, m.currency)
        else coalesce(m.currency, m.charged_currency)
    end as difference_currency,
    m.verdict,
    m.why,
    jsonb_build_array(
        jsonb_build_object(
            'field', 'status', 'a_from', 'book', 'b_from', 'provider',
            'a', m.status, 'b', coalesce(m.raw_status, 'no payment')
        ),
        jsonb_build_object(
            'field', 'amount', 'a_from', 'book', 'b_from', 'provider',
            'a', tieout.printed(m.booked, x.exponent) || ' ' || m.currency,
            'b', coalesce(tieout.printed(m.charged, y.exponent), 'unknown') || coalesce(' ' || m.charged_currency, '')
        ),
        jsonb_build_object('field', 'hint', 'a', m.why, 'b', null, 'a_from', 'rule', 'b_from', 'rule')
    ) as said
from measured as m
left join scope.currency as x on x.code = m.currency
left join scope.currency as y on y.code = m.charged_currency
