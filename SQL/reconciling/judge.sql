-- One row put in: one finding with what its subject is and which class it falls into. $1 account, $2 as_of, $3 rules and
-- $4 grace of each, $5 which of them prove absence.
--   not_applicable   the source never gives a feed the rule needs
--   quarantined      a record of its payment waits in quarantine for a feed the rule needs ($6 rule, $7 feed: pairs)
--   before_coverage  older than a feed the rule needs reaches back; a payment with a record of its own in the feed of its
--                    provider, or of the book, is as old there as that record
--   not_evaluated    an absence, and a feed is older than it may be, or its event waits for a key that proves it
--   awaiting         not due yet, or an absence younger than the feeds reach
--   break            all others
insert into run_judged
with rule as (
    select
        r.rule,
        g.grace,
        r.rule = any($5::text[]) as proves_absence,
        exists (
            select 1
            from unnest($6::text[], $7::text[]) as need (rule, feed)
            where need.rule = r.rule and need.feed = 'webhook'
        ) as needs_events
    from unnest($3::text[], $4::text[]) as r (rule, grace)
    cross join lateral (select r.grace::interval as grace) as g
),

named as (
    select
        f.*,
        k.subject_kind,
        k.subject_name,
        split_part(k.subject_name, '/', 1) as subject_source,
        case
            when k.subject_kind = 'line' then 'line'
            when split_part(k.subject_name, '/', 3) = '' then 'transaction'
            else split_part(k.subject_name, '/', 2)
        end as subject_resource,
        substr(
            k.subject_name,
            length(split_part(k.subject_name, '/', 1)) + 2 + case
                when k.subject_kind <> 'transaction' or split_part(k.subject_name, '/', 3) = '' then 0
                else length(split_part(k.subject_name, '/', 2)) + 1
            end
        ) as subject_id
    from run_finding as f
    cross join lateral (
        select
            split_part(f.subject, ':', 1) as subject_kind,
            substr(f.subject, strpos(f.subject, ':') + 1) as subject_name
    ) as k
),

-- What is no payment, but about one.
leg as (
    select r.source_id, 'refund' as resource, r.refund_id as id, r.direction, r.segment, r.happened_at, r.transaction_id
    from scope.refund as r
    union all
    select d.source_id, 'dispute', d.dispute_id, d.direction, d.segment, d.happened_at, d.transaction_id
    from scope.dispute as d
    union all
    select
        l.source_id, case l.origin when 'file' then 'line' else 'settlement_line' end, l.line_id, l.direction, l.segment,
        coalesce(l.settled_at, l.happened_at, l.observed_at), null
    from scope.settlement_line as l
),

-- Payments with one order, or one transaction: that is the break's.
only_order as (
    select m.payment_id, min(m.record_id) as order_id
    from scope.member as m
    where m.account_id = $1
        and m.member = 'order'
        and m.payment_id in (select f.payment_id from run_finding as f)
    group by m.payment_id
    having count(*) = 1
),

only_transaction as (
    select m.payment_id, min(m.record_id) as transaction_id
    from scope.member as m
    left join scope.second_view as v
        on v.account_id = $1 and v.source_id = m.source_id and v.record_id = m.record_id
    where m.account_id = $1
        and m.member = 'transaction'
        and m.record_id !~ '^(refund|dispute|settlement_line|transfer)/'
        and v.record_id is null
        and m.payment_id in (select f.payment_id from run_finding as f)
    group by m.payment_id
    having count(*) = 1
),

-- What only events speak of: its time and direction are theirs.
spoken as (
    select n.rule, n.subject, min(e.event_time) as event_at, min(e.direction) as direction
    from named as n
    inner join scope.webhook_event as e
        on e.account_id = $1
        and e.source_id = n.source_id
        and e.transaction_id = substr(n.subject_name, strpos(n.subject_name, '/') + 1)
        and e.is_evidence
    where n.rule = 'provider_missing' and n.subject_kind = 'transaction'
    group by n.rule, n.subject
),

-- How far the providers of all sources reach that a payment went through, for rules that hold its whole money against
-- the book: the order may have failed over to another source. A second view shows nothing of its own, but a rule that
-- compares views needs both.
whole as (
    select f.rule, f.payment_id, bool_and(coalesce(p.is_fresh, false)) as is_fresh, min(p.watermark) as watermark
    from (
        select distinct f.rule, f.payment_id
        from run_finding as f
        inner join unnest($6::text[], $7::text[]) as need (rule, feed)
            on need.rule = f.rule and (need.feed = 'book' or f.rule = 'view_conflict')
    ) as f
    inner join scope.member as m
        on m.account_id = $1 and m.member = 'transaction' and m.payment_id = f.payment_id
    inner join scope.source as s
        on s.account_id = $1 and s.source_id = m.source_id and s.life <> 'retired'
    left join scope.second_view as v
        on v.account_id = $1 and v.source_id = m.source_id and v.record_id = m.record_id
    left join run_feed as p
        on p.source_id = m.source_id and p.feed = 'provider'
    where v.record_id is null or f.rule = 'view_conflict'
    group by f.rule, f.payment_id
),

described as (
    select
        n.*,
        coalesce(o.order_id, oo.order_id) as order_id,
        coalesce(
            t.transaction_id, e.transaction_id,
            case when k.rule is not null then substr(n.subject_name, strpos(n.subject_name, '/') + 1) end,
            g.transaction_id,
            case when n.subject_kind not in ('source', 'payout') then ot.transaction_id end
        ) as transaction_id,
        coalesce(o.direction, t.direction, e.direction, k.direction, g.direction) as direction,
        coalesce(o.segment, t.segment, g.segment, p.segment) as segment,
        coalesce(
            o.created_at, t.created_at, e.event_time, e.first_received_at, k.event_at, g.happened_at, y.paid_at,
            y.observed_at
        ) as event_at
    from named as n
    left join scope.book_order as o
        on n.subject_kind = 'order' and o.account_id = $1 and o.order_id = n.subject_name
    left join scope.transaction as t
        on n.subject_kind = 'transaction'
        and t.account_id = $1
        and t.source_id = n.subject_source
        and t.resource = n.subject_resource
        and t.transaction_id = n.subject_id
    left join leg as g
        on n.subject_kind in ('transaction', 'line')
        and g.source_id = n.subject_source
        and g.resource = n.subject_resource
        and g.id = n.subject_id
    left join scope.payout as y
        on n.subject_kind = 'payout'
        and y.account_id = $1
        and y.subject = n.subject
    left join scope.webhook_event as e
        on n.subject_kind = 'event'
        and e.account_id = $1
        and e.source_id = split_part(n.subject_name, '/', 1)
        and e.event_key = substr(n.subject_name, strpos(n.subject_name, '/') + 1)
    left join spoken as k on k.rule = n.rule and k.subject = n.subject
    left join only_order as oo on oo.payment_id = n.payment_id
    left join scope.book_order as p
        on p.account_id = $1 and p.order_id = oo.order_id
    left join only_transaction as ot on ot.payment_id = n.payment_id
),

-- Payments that may be older than a feed, with the oldest record of each that the feed itself shows.
early as (
    select distinct d.payment_id
    from described as d
    inner join run_rule_source as s
        on s.rule = d.rule and s.source_id = d.source_id
    where d.event_at < greatest(s.provider_from, s.book_from)
),

own_record as (
    select t.payment_id, t.source_id, min(t.created_at) as created_at
    from scope.transaction as t
    where t.account_id = $1 and t.payment_id in (select e.payment_id from early as e)
    group by t.payment_id, t.source_id
),

own_order as (
    select o.payment_id, min(o.created_at) as created_at
    from scope.book_order as o
    where o.account_id = $1 and o.payment_id in (select e.payment_id from early as e)
    group by o.payment_id
)

select
    d.rule,
    d.rank,
    d.source_id,
    d.payment_id,
    d.subject,
    d.severity,
    d.difference,
    d.at_risk,
    d.currency,
    d.due_at,
    d.event_at,
    d.order_id,
    d.transaction_id,
    d.direction,
    d.segment,
    d.facts,
    sha256(
        convert_to(
            tieout.prefixed(d.facts::text) || tieout.prefixed(trim_scale(d.difference)::text)
            || tieout.prefixed(trim_scale(d.at_risk)::text) || tieout.prefixed(d.currency),
            'UTF8'
        )
    ) as facts_digest,
    case
        when r.proves_absence and not coalesce(s.is_applicable, false) then 'not_applicable'
        when exists (
            select 1
            from run_quarantined as q
            inner join unnest($6::text[], $7::text[]) as need (rule, feed)
                on need.rule = d.rule and (need.feed = q.feed or (d.subject_kind = 'order' and q.feed = 'book'))
            where q.payment_id = d.payment_id
        ) then 'quarantined'
        when d.event_at < s.others_from
            or (d.event_at < s.provider_from and not coalesce(v.created_at >= s.provider_from, false))
            or (d.event_at < s.book_from and not coalesce(k.created_at >= s.book_from, false))
            then 'before_coverage'
        when r.proves_absence and not (coalesce(s.is_fresh, false) and coalesce(w.is_fresh, true)) then 'not_evaluated'
        when r.proves_absence and r.needs_events and u.transaction_id is not null then 'not_evaluated'
        when d.due_at > $2 then 'awaiting'
        when r.proves_absence and coalesce(d.due_at, d.event_at + r.grace) > least(s.watermark, w.watermark)
            then 'awaiting'
        else 'break'
    end as class,
    coalesce(d.due_at > $2, false) as is_not_due,
    coalesce(b.is_baseline, false) as is_baseline
from described as d
inner join rule as r on r.rule = d.rule
left join run_rule_source as s
    on s.rule = d.rule and s.source_id = d.source_id
left join own_record as v
    on v.payment_id = d.payment_id and v.source_id = d.source_id
left join own_order as k on k.payment_id = d.payment_id
left join run_unproven as u
    on u.source_id = d.source_id and u.transaction_id = d.transaction_id
left join whole as w
    on w.rule = d.rule and w.payment_id = d.payment_id
-- A source's baseline is the first run that judged it after it was complete: the run that completed it may have died.
left join (
    select
        f.source_id,
        f.baseline_run_id <= $8 and not exists (
            select 1
            from tieout.run_rule as u
            where u.account_id = $1
                and u.source_id = f.source_id
                and u.run_id >= f.baseline_run_id
                and u.run_id < $8
        ) as is_baseline
    from tieout.feed_state as f
    where f.account_id = $1
        and f.feed = 'provider'
) as b
    on b.source_id = d.source_id
