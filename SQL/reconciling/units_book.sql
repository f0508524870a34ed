-- One row put in: one payment of the pair book-provider, per direction and currency. $1 account, $2 as_of, $3 the rules
-- that ran. A: what the book says was charged. B: what the provider says, once per payment, of rows that stand for
-- themselves: charges that stayed, else the largest that went back.
insert into run_unit (
    pair, payment_id, source_id, business_day, direction, currency, bucket, a_count, a, b_count, b, class, broken,
    rest_class, is_settled
)
with charge as (
    select
        t.payment_id,
        t.direction,
        coalesce(t.charged_currency, '') as currency,
        t.source_id,
        s.beneath is not null as is_beneath,
        case
            when t.money in ('held', 'taken', 'delivered') and t.returned >= t.charged and t.returned > 0
                then 'returned'
            else t.money
        end as money,
        t.charged,
        t.taken_at,
        t.created_at
    from scope.charge as t
    inner join scope.source as s
        on s.account_id = t.account_id and s.source_id = t.source_id
),

provider_side as (
    select
        c.payment_id,
        c.direction,
        c.currency,
        coalesce(min(c.source_id) filter (where not c.is_beneath), min(c.source_id)) as source_id,
        -- The payment's furthest money.
        max(
            case c.money when 'delivered' then '5' when 'taken' then '4' when 'held' then '3' when 'unknown' then '2'
                when 'returned' then '1' else '0' end
        ) as furthest,
        coalesce(
            sum(c.charged) filter (where c.money in ('held', 'taken', 'delivered')),
            max(c.charged) filter (where c.money = 'returned')
        ) as amount,
        coalesce(min(c.taken_at), min(c.created_at)) as at,
        min(c.created_at) as born_at
    from charge as c
    group by c.payment_id, c.direction, c.currency
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

-- What rules have found of each payment, but for those that say nothing of this pair's difference: of events, of two views
-- of a charge, of settlement and of fees.
found as (
    select w.*
    from (
        select s.payment_id, s.direction, s.currency, s.rule, s.difference, s.facts, 'break' as class,
            s.primary_break_id is null as is_primary, s.step in ('carry', 'hold') as is_held
        from run_stand as s
        where s.step <> 'heal'
        union all
        -- What a person closed still differs, and still explains. What is no break yet says why there is none.
        select j.payment_id, j.direction, j.currency, j.rule, j.difference, j.facts, j.class, true, false
        from run_judged as j
        left join run_stand as s on s.rule = j.rule and s.subject = j.subject
        where j.class <> 'break' or s.rule is null
    ) as w
    where w.payment_id is not null
        and w.rule not like 'webhook\_%'
        and w.rule not in ('view_conflict', 'settlement_missing', 'fee_variance')
        -- Nor that lines of settlement do not reach back to it.
        and not (w.rule = 'paid_unsettled' and w.class = 'before_coverage' and coalesce(w.difference, 0) = 0)
),

-- What the breaks of each say of its difference; refunds beside the charge are no matter of this pair. held: it may no
-- longer be so, but nothing could be said in this run.
told as (
    select
        f.payment_id,
        coalesce(f.direction, '') as direction,
        coalesce(f.currency, '') as currency,
        f.rule,
        case when f.rule = 'refund_mismatch' and f.facts @> '[{"field": "refunded"}]' then 0 else f.difference end
            as difference,
        f.facts,
        f.is_primary,
        f.is_held
    from found as f
    where f.class = 'break'
),

broken as (
    select
        d.payment_id,
        d.direction,
        d.currency,
        coalesce(sum(d.difference) filter (where d.is_primary), 0) as headline,
        coalesce(sum(d.difference) filter (where not d.is_primary), 0) as secondary,
        coalesce(sum(d.difference) filter (where d.rule = 'duplicate_charge'), 0) as surplus,
        -- Rules about the payment as a whole all name the same difference, or none.
        coalesce(
            max(d.difference) filter (
                where d.rule not in ('duplicate_charge', 'amount_mismatch', 'currency_mismatch') and d.difference > 0
            ),
            min(d.difference) filter (
                where d.rule not in ('duplicate_charge', 'amount_mismatch', 'currency_mismatch')
            ),
            0
        ) as whole,
        bool_or(d.is_held) as is_held
    from (
        select
            l.payment_id, l.direction, l.currency, l.rule, l.difference, l.is_primary, l.is_held
        from told as l
        union all
        -- The charge of a currency_mismatch, in its own currency; one that went back in full differs from nothing.
        select l.payment_id, l.direction, g.currency, l.rule, -coalesce(g.charged, 0), l.is_primary, l.is_held
        from told as l
        cross join lateral (
            select
                min(f.value ->> 'b') filter (where f.value ->> 'field' = 'currency') as currency,
                min((f.value ->> 'b')::numeric) filter (where f.value ->> 'field' = 'amount') as charged
            from jsonb_array_elements(l.facts) as f (value)
            where f.value ->> 'field' in ('currency', 'amount')
        ) as g
        where l.rule = 'currency_mismatch' and not l.facts @> '[{"field": "returned"}]'
    ) as d
    group by d.payment_id, d.direction, d.currency
),

-- Findings that are no breaks, and why.
waiting as (
    select
        f.payment_id,
        bool_or(f.class = 'before_coverage') as is_before_coverage,
        bool_or(f.class = 'awaiting') as is_waiting,
        bool_or(f.class in ('not_evaluated', 'not_applicable')) as is_not_evaluated
    from found as f
    where f.class in ('awaiting', 'before_coverage', 'not_evaluated', 'not_applicable')
    group by f.payment_id
),

-- Money of which the provider does not say how much.
unpriced as (
    select distinct c.payment_id, c.direction
    from charge as c
    where c.money in ('held', 'taken', 'delivered') and c.charged is null
),

feed as (
    select
        f.source_id,
        max(f.watermark) filter (where f.feed = 'book') as book_to,
        max(f.watermark) filter (where f.feed = 'provider') as provider_to,
        max(f.covered_from) filter (where f.feed = 'book') as book_from,
        max(f.covered_from) filter (where f.feed = 'provider') as provider_from,
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
        case p.furthest
            when '5' then 'delivered' when '4' then 'taken' when '3' then 'held' when '2' then 'unknown'
            when '1' then 'returned' when '0' then 'none'
            else o.book_money
        end as bucket,
        p.payment_id is not null as has_b,
        coalesce(o.orders, 0) as orders,
        o.status,
        coalesce(o.amount, 0) as a,
        case p.furthest
            when '0' then 0
            when '2' then 0
            -- What came and went while the book knew of nothing differs from nothing.
            when '1' then case when coalesce(o.amount, 0) = 0 then 0 else coalesce(p.amount, 0) end
            else coalesce(p.amount, 0)
        end as b,
        coalesce(p.at, o.born_at) as at,
        -- Each side is as old as its own record.
        coalesce(p.born_at, o.born_at) as provider_at,
        coalesce(o.born_at, p.born_at) as book_at
    from provider_side as p
    full join book_side as o
        on o.payment_id = p.payment_id and o.direction = p.direction and o.currency = p.currency
),

matched as (
    select
        u.*,
        b.payment_id is not null as is_broken,
        coalesce(b.headline, 0) as headline,
        coalesce(b.secondary, 0) as secondary,
        coalesce(b.surplus, 0) + coalesce(b.whole, 0) as whole,
        coalesce(b.is_held, false) as is_held,
        coalesce(w.is_waiting, false) as is_waiting,
        coalesce(w.is_before_coverage, false) as is_before_coverage,
        coalesce(w.is_not_evaluated, false) or n.payment_id is not null as is_not_evaluated,
        q.payment_id is not null as is_quarantined,
        f.book_to,
        f.provider_to,
        coalesce(u.provider_at < f.provider_from, false) or coalesce(u.book_at < f.book_from, false) as is_early,
        coalesce(f.is_fresh and f.is_whole, false) as is_fresh,
        coalesce(v.verdict, 'agree') as verdict
    from unit as u
    left join (
        select v.payment_id, v.direction, min(v.verdict) as verdict
        from scope.verdict as v
        group by v.payment_id, v.direction
    ) as v on v.payment_id = u.payment_id and v.direction = u.direction
    left join broken as b
        on b.payment_id = u.payment_id and b.direction = u.direction and b.currency = u.currency
    left join waiting as w on w.payment_id = u.payment_id
    left join unpriced as n on n.payment_id = u.payment_id and n.direction = u.direction
    left join (select distinct r.payment_id from run_quarantined as r) as q on q.payment_id = u.payment_id
    left join feed as f on f.source_id = u.source_id
),

classed as (
    select
        m.*,
        -- Breaks with the same cause as the headline count where they bring the sum nearer, so nothing counts twice.
        case
            when not m.is_broken then 0
            when least(
                abs(m.a - m.b - m.headline - m.secondary), abs(m.a - m.b - m.whole), abs(m.a - m.b - m.secondary)
            ) >= abs(m.a - m.b - m.headline) or m.secondary = 0 then m.headline
            when abs(m.a - m.b - m.headline - m.secondary)
                <= least(abs(m.a - m.b - m.whole), abs(m.a - m.b - m.secondary)) then m.headline + m.secondary
            when abs(m.a - m.b - m.whole) <= abs(m.a - m.b - m.secondary) then m.whole
            else m.secondary
        end as broken,
        -- Where a difference belongs that no break carries.
        case
            when m.is_quarantined then 'quarantined'
            when m.is_early or m.is_before_coverage then 'before_coverage'
            when m.orders > 1 or m.verdict = 'ambiguous' then 'ambiguous'
            when m.verdict = 'awaiting' or m.is_waiting then 'awaiting'
            when m.verdict = 'book_missing' and (m.book_to is null or m.at > m.book_to) then 'awaiting'
            when m.verdict in ('provider_missing', 'credited_unpaid') and not m.has_b
                and (m.provider_to is null or m.at > m.provider_to) then 'awaiting'
            when m.is_not_evaluated or m.verdict = 'unknown_value' then 'not_evaluated'
            when m.verdict <> 'agree' and not m.verdict = any($3::text[]) then 'not_evaluated'
            when m.is_held or not m.is_fresh then 'not_evaluated'
            -- What the book has yet to book, beside a break that says only how far the amounts lie apart.
            when m.is_broken and m.status in ('open', 'pending') then 'awaiting'
            else 'unexplained'
        end as rest_class
    from matched as m
)

select
    'book-provider' as pair,
    c.payment_id,
    c.source_id,
    tieout.business_day(c.at, a.zone, a.cut_off) as business_day,
    c.direction,
    c.currency,
    c.bucket,
    c.orders,
    c.a,
    c.has_b::int::bigint,
    c.b,
    case
        -- A record is where its difference is: what keeps it from being judged, unless a break carries the difference.
        when c.broken = 0
            and (
                c.rest_class in ('quarantined', 'before_coverage', 'ambiguous')
                or (c.a <> c.b and c.rest_class <> 'unexplained')
            ) then c.rest_class
        when c.is_broken then 'breaks'
        when c.a = c.b and c.rest_class in ('unexplained') then 'matched'
        when c.a = c.b and c.verdict = 'agree' and not c.is_waiting then 'matched'
        else c.rest_class
    end as class,
    c.broken,
    c.rest_class,
    -- Not so: what depends on how far a feed reaches, on a record in quarantine, or on a break.
    case
        when c.is_quarantined then false
        when c.rest_class in ('before_coverage', 'ambiguous') then true
        when c.verdict = 'awaiting' or c.is_waiting then true
        when c.rest_class = 'awaiting' then false
        when c.is_not_evaluated or c.verdict = 'unknown_value' then true
        when c.verdict = 'agree' then c.a = c.b and not c.is_broken
        when not c.verdict = any($3::text[]) then true
        else false
    end as is_settled
from classed as c
inner join tieout.account as a on a.account_id = $1
