-- One row put in: one break that was found in this run, or that was open before it. $1 account, $2 as_of, $3 ledger time
-- now, $4 all rules in rank order, $5 the rules that ran.
--   open | reopen | keep   found: new, after healing or with other facts than a person closed or acknowledged, or known
--   heal                   not found, and everything needed to say so was there
--   carry                  not found, but a feed it needs is not fresh, or failed: data incomplete since then
--   hold                   nothing can be said about it now (its rule did not run, the subject is awaiting, …)
-- A break that a person closed and whose facts are the same stays closed: no row. One that is found by data that may be
-- out of date is marked incomplete too.
insert into run_stand
with found as (
    select * from run_judged where class = 'break'
),

known as (
    select b.*
    from tieout.break as b
    where b.account_id = $1
        and (b.state in ('open', 'acknowledged') or (b.rule, b.subject) in (select f.rule, f.subject from found as f))
),

-- Subjects about which a rule did not say "nothing".
unsaid as (
    select j.rule, j.subject, bool_or(j.class = 'not_evaluated') as is_stale
    from run_judged as j
    where j.class <> 'break' and not (j.class = 'awaiting' and j.is_not_due)
    group by j.rule, j.subject
),

step as (
    select
        coalesce(f.rule, b.rule) as rule,
        coalesce(f.subject, b.subject) as subject,
        case
            when b.rule is null then 'open'
            -- An acknowledgement covers the facts it was given for.
            when f.rule is not null and b.state = 'acknowledged' and f.facts_digest <> b.facts_digest then 'reopen'
            when f.rule is not null and b.state in ('open', 'acknowledged') then 'keep'
            when f.rule is not null and b.closed_facts_digest = f.facts_digest then 'stay'
            when f.rule is not null then 'reopen'
            when not b.rule = any($5::text[]) then 'hold'
            when u.is_stale then 'carry'
            when u.rule is not null then 'hold'
            when s.rule is null then 'heal'
            when not s.is_applicable then 'hold'
            when not s.is_whole then 'carry'
            else 'heal'
        end as step,
        s.watermark,
        s.is_applicable and not s.is_whole as is_incomplete
    from known as b
    full join found as f on f.rule = b.rule and f.subject = b.subject
    left join unsaid as u on u.rule = b.rule and u.subject = b.subject and f.rule is null
    left join run_rule_source as s
        on s.rule = coalesce(f.rule, b.rule)
        and s.source_id = case when f.rule is not null then f.source_id else b.source_id end
),

merged as (
    select
        p.rule,
        coalesce(array_position($4::text[], p.rule::text), 1000) as rank,
        p.subject,
        'B' || left(
            encode(
                sha256(
                    convert_to(
                        tieout.prefixed($1::bigint::text) || tieout.prefixed(p.rule) || tieout.prefixed(p.subject), 'UTF8'
                    )
                ),
                'hex'
            ),
            12
        ) as break_id,
        p.step,
        case p.step when 'open' then 'open' when 'reopen' then 'open' when 'heal' then 'resolved' else b.state end
            as state,
        coalesce(f.severity, b.severity) as severity,
        coalesce(f.source_id, b.source_id) as source_id,
        coalesce(f.payment_id, m.payment_id, b.payment_id) as payment_id,
        case when f.rule is not null then f.order_id else b.order_id end as order_id,
        case when f.rule is not null then f.transaction_id else b.transaction_id end as transaction_id,
        case when f.rule is not null then f.direction else b.direction end as direction,
        case when f.rule is not null then f.segment else b.segment end as segment,
        case when f.rule is not null then f.currency else b.currency end as currency,
        case when f.rule is not null then f.difference else b.difference end as difference,
        case when f.rule is not null then f.at_risk else b.at_risk end as at_risk,
        case when f.rule is not null then f.due_at else b.due_at end as due_at,
        case when f.rule is not null then f.event_at else b.event_at end as event_at,
        case when p.step in ('open', 'reopen') then $3 else b.opened_at end as opened_at,
        case p.step
            when 'open' then f.is_baseline
            when 'reopen' then false
            else b.is_baseline
        end as is_baseline,
        case
            when p.step = 'carry' then coalesce(b.incomplete_since, p.watermark, $2)
            when p.step = 'hold' then b.incomplete_since
            when p.step = 'keep' and p.is_incomplete then coalesce(b.incomplete_since, p.watermark, $2)
            when p.step in ('open', 'reopen') and p.is_incomplete then coalesce(p.watermark, $2)
        end as incomplete_since,
        case when p.step <> 'reopen' then b.owner end as owner,
        coalesce(f.facts, b.facts) as facts,
        coalesce(f.facts_digest, b.facts_digest) as facts_digest
    from step as p
    left join found as f on f.rule = p.rule and f.subject = p.subject
    left join known as b on b.rule = p.rule and b.subject = p.subject
    -- A break nobody found again moves with its record when payments merge or split.
    left join scope.member as m
        on f.rule is null
        and m.account_id = $1
        and m.member = split_part(p.subject, ':', 1)
        and m.source_id = b.source_id
        and m.record_id = case split_part(p.subject, ':', 1)
            when 'order' then substr(p.subject, 7)
            else substr(p.subject, strpos(p.subject, '/') + 1)
        end
    where p.step <> 'stay'
),

-- One cause, one headline: a payment's first by rank; each surplus charge is a cause of its own.
headed as (
    select
        m.rule,
        m.subject,
        first_value(m.break_id) over (partition by m.payment_id order by m.rank, m.subject) as first_break_id,
        first_value(m.rule) over (partition by m.payment_id order by m.rank, m.subject) as first_rule
    from merged as m
    where m.step <> 'heal' and m.payment_id is not null
)

select
    m.rule,
    m.rank,
    m.subject,
    m.break_id,
    m.step,
    m.state,
    m.severity,
    m.source_id,
    m.payment_id,
    m.order_id,
    m.transaction_id,
    m.direction,
    m.segment,
    m.currency,
    m.difference,
    case when p.primary_break_id is null then m.at_risk else 0 end as at_risk,
    m.due_at,
    m.event_at,
    m.opened_at,
    p.primary_break_id,
    m.is_baseline,
    m.incomplete_since,
    m.owner,
    m.facts,
    m.facts_digest
from merged as m
left join headed as h on h.rule = m.rule and h.subject = m.subject
cross join lateral (
    select case
        when h.first_break_id is null or h.first_break_id = m.break_id then null
        when m.rule = 'duplicate_charge' and h.first_rule = 'duplicate_charge' then null
        else h.first_break_id
    end as primary_break_id
) as p
