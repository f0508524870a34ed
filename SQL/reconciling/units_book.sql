-- One row put in: one payment of the pair book-provider, per direction and currency. $1 account, $2 as_of, $3 the rules
-- that ran. A: what the book says was charged. B: what the provider says, once per payment: charges that stayed, else
-- the largest that went back; where a source lies beneath another, the one above counts.
insert into run_unit
with charge as (
    select
        t.payment_id,
        t.direction,
        coalesce(t.charged_currency, '') as currency,
        t.source_id,
        s.beneath,
        t.resource || '/' || t.transaction_id as name,
        t.state,
        case when t.money in ('held', 'taken', 'delivered') and t.returned >= t.charged then 'returned' else t.money end
            as money,
        t.charged,
        t.taken_at,
        t.created_at
    from scope.transaction as t
    inner join scope.source as s
        on s.account_id = t.account_id and s.source_id = t.source_id
    where t.resource not in ('refund', 'dispute', 'transfer', 'payout')
        and not t.is_test
        -- One id in a source and in the one that succeeds it is one charge.
        and not exists (
            select 1
            from tieout.source as n
            inner join tieout.transaction as x
                on x.account_id = n.account_id and x.source_id = n.source_id
            where n.account_id = $1
                and n.succeeds = t.source_id
                and x.resource = t.resource
                and x.transaction_id = t.transaction_id
        )
),

-- The k-th charge of a source beneath another counts only where the one above shows fewer than k.
below as (
    select
        c.*,
        row_number() over (
            partition by c.payment_id, c.direction, c.beneath order by c.created_at, c.source_id, c.name
        ) as k
    from charge as c
    where c.beneath is not null and c.money in ('held', 'taken', 'delivered')
),

shown_below as (
    select b.payment_id, b.direction, b.currency, sum(b.charged) as amount
    from below as b
    left join (
        select a.payment_id, a.direction, a.source_id, count(*) as charges
        from charge as a
        where a.money in ('held', 'taken', 'delivered') and a.payment_id in (select b.payment_id from below as b)
        group by a.payment_id, a.direction, a.source_id
    ) as above
        on above.payment_id = b.payment_id and above.direction = b.direction and above.source_id = b.beneath
    where b.k > coalesce(above.charges, 0)
    group by b.payment_id, b.direction, b.currency
),

charged as (
    select
        c.payment_id,
        c.direction,
        c.currency,
        coalesce(min(c.source_id) filter (where c.beneath is null), min(c.source_id)) as source_id,
        -- The payment's furthest money, with the state that goes with it.
        max(
            case c.money when 'delivered' then '5' when 'taken' then '4' when 'held' then '3' when 'unknown' then '2'
                when 'returned' then '1' else '0' end || c.state
        ) as furthest,
        sum(c.charged) filter (where c.beneath is null and c.money in ('held', 'taken', 'delivered')) as stayed,
        coalesce(
            max(c.charged) filter (where c.beneath is null and c.money = 'returned'),
            max(c.charged) filter (where c.money = 'returned')
        ) as returned,
        coalesce(min(c.taken_at), min(c.created_at)) as at,
        min(c.created_at) as born_at
    from charge as c
    group by c.payment_id, c.direction, c.currency
),

provider_side as (
    select
        c.*,
        case when c.stayed is null and b.amount is null then c.returned
            else coalesce(c.stayed, 0) + coalesce(b.amount, 0) end as amount
    from charged as c
    left join shown_below as b
        on b.payment_id = c.payment_id and b.direction = c.direction and b.currency = c.currency
),

book_side as (
    select
        o.payment_id,
        o.direction,
        o.currency,
        min(o.source_id) as source_id,
        count(*) as orders,
        min(o.status) as status,
        min(o.book_money) as book_money,
        sum(case when o.book_money in ('none', 'unknown') then 0 else o.amount end) as amount,
        min(o.created_at) as born_at
    from scope.book_order as o
    group by o.payment_id, o.direction, o.currency
),

-- What the breaks of each say of its difference; those about events say nothing of amounts. held: it may no longer be
-- so, but nothing could be said in this run.
broken as (
    select
        s.payment_id,
        coalesce(s.direction, '') as direction,
        coalesce(s.currency, '') as currency,
        coalesce(sum(s.difference) filter (where s.primary_break_id is null), 0) as difference,
        coalesce(sum(s.difference) filter (where s.primary_break_id is not null), 0) as secondary,
        bool_or(s.step in ('carry', 'hold')) as is_held
    from run_stand as s
    where s.step <> 'heal' and s.payment_id is not null and s.rule not like 'webhook\_%'
    group by s.payment_id, coalesce(s.direction, ''), coalesce(s.currency, '')
),

-- What a person closed still differs, and still explains.
closed as (
    select
        j.payment_id,
        coalesce(j.direction, '') as direction,
        coalesce(j.currency, '') as currency,
        sum(coalesce(j.difference, 0)) as difference
    from run_judged as j
    where j.class = 'break'
        and j.rule not like 'webhook\_%'
        and not exists (select 1 from run_stand as s where s.rule = j.rule and s.subject = j.subject)
    group by j.payment_id, coalesce(j.direction, ''), coalesce(j.currency, '')
),

waiting as (
    select distinct j.payment_id
    from run_judged as j
    where j.class = 'awaiting'
),

feed as (
    select
        f.source_id,
        max(f.watermark) filter (where f.feed = 'book') as book_to,
        max(f.watermark) filter (where f.feed = 'provider') as provider_to,
        max(f.covered_from) as covered_from,
        bool_and(f.is_fresh) as is_fresh,
        count(*) = 2 as is_whole
    from run_feed as f
    where f.feed in ('book', 'provider')
    group by f.source_id
),

unit as (
    select
        coalesce(p.payment_id, o.payment_id) as payment_id,
        coalesce(p.source_id, o.source_id) as source_id,
        coalesce(p.direction, o.direction) as direction,
        coalesce(p.currency, o.currency) as currency,
        case left(p.furthest, 1)
            when '5' then 'delivered' when '4' then 'taken' when '3' then 'held' when '2' then 'unknown'
            when '1' then 'returned' when '0' then 'none'
            else o.book_money
        end as bucket,
        substr(p.furthest, 2) as state,
        p.payment_id is not null as has_b,
        coalesce(o.orders, 0) as orders,
        o.status,
        coalesce(o.amount, 0) as a,
        case left(p.furthest, 1) when '0' then 0 when '2' then 0 else coalesce(p.amount, 0) end as b,
        coalesce(p.at, o.born_at) as at,
        least(p.born_at, o.born_at) as born_at
    from provider_side as p
    full join book_side as o
        on o.payment_id = p.payment_id and o.direction = p.direction and o.currency = p.currency
),

matched as (
    select
        u.*,
        coalesce(b.payment_id, c.payment_id) is not null as is_broken,
        coalesce(b.difference, 0) + coalesce(c.difference, 0) as headline,
        coalesce(b.secondary, 0) as secondary,
        coalesce(b.is_held, false) as is_held,
        w.payment_id is not null as is_waiting,
        q.payment_id is not null as is_quarantined,
        f.book_to,
        f.provider_to,
        f.covered_from,
        coalesce(f.is_fresh and f.is_whole, false) as is_fresh,
        case
            when u.orders = 0 then case when u.b = 0 then 'agree' else 'book_missing' end
            when not u.has_b then case when u.a = 0 then 'no payment' else 'provider_missing' end
            else coalesce(x.verdict, 'unknown_value')
        end as verdict
    from unit as u
    left join scope.state_matrix as x
        on x.book_status = u.status and x.money = u.bucket and x.state = u.state and u.orders > 0 and u.has_b
    left join broken as b
        on b.payment_id = u.payment_id and b.direction = u.direction and b.currency = u.currency
    left join closed as c
        on c.payment_id = u.payment_id and c.direction = u.direction and c.currency = u.currency
    left join waiting as w on w.payment_id = u.payment_id
    left join (select distinct r.payment_id from run_quarantined as r) as q on q.payment_id = u.payment_id
    left join feed as f on f.source_id = u.source_id
),

classed as (
    select
        m.*,
        -- A break with the same cause as the headline counts where it brings the sum nearer, so nothing counts twice.
        m.headline + case when abs(m.a - m.b - m.headline - m.secondary) < abs(m.a - m.b - m.headline) then m.secondary
            else 0 end as broken,
        -- Where a difference belongs that no break carries.
        case
            when m.is_quarantined then 'quarantined'
            when m.born_at < m.covered_from then 'before_coverage'
            when m.orders > 1 then 'ambiguous'
            when m.verdict = 'awaiting' then 'awaiting'
            when m.verdict = 'book_missing' and (m.book_to is null or m.at > m.book_to) then 'awaiting'
            when m.verdict = 'provider_missing' and (m.provider_to is null or m.at > m.provider_to) then 'awaiting'
            when m.is_waiting then 'awaiting'
            when m.verdict = 'unknown_value' then 'not_evaluated'
            when m.verdict not in ('agree', 'no payment') and not m.verdict = any($3::text[]) then 'not_evaluated'
            when m.is_held or not m.is_fresh then 'not_evaluated'
            else 'unexplained'
        end as rest_class
    from matched as m
)

select
    'book-provider' as pair,
    c.source_id,
    ((c.at at time zone a.zone) - a.cut_off)::date as business_day,
    c.direction,
    c.currency,
    c.bucket,
    c.orders,
    c.a,
    c.has_b::int::bigint,
    c.b,
    case
        when c.rest_class in ('quarantined', 'before_coverage', 'ambiguous') then c.rest_class
        when c.is_broken then 'breaks'
        when c.a = c.b and c.rest_class in ('unexplained') then 'matched'
        when c.a = c.b and c.verdict in ('agree', 'no payment') and not c.is_waiting then 'matched'
        else c.rest_class
    end as class,
    c.broken,
    c.rest_class
from classed as c
inner join tieout.account as a on a.account_id = $1
