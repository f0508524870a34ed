-- One row put in: what one rule did at one source in this run. $1 account, $2 run, $3 the rules that ran, $4 grace of
-- each, $5 which of them prove absence.
insert into tieout.run_rule (
    account_id, run_id, rule, source_id, evaluated, findings, awaiting, not_evaluated, before_coverage, not_applicable,
    reason, horizon
)
with records as (
    select t.source_id, t.units as records
    from tieout.tally as t
    where t.account_id = $1 and t.name = 'records'
),

-- What stands, whether this run looked at it or not; every break that stands was looked at.
judged as (
    select
        u.rule,
        u.source_id,
        count(*) filter (where u.class in ('break', 'closed')) as findings,
        count(*) filter (where u.class = 'awaiting') as awaiting,
        count(*) filter (where u.class in ('not_evaluated', 'quarantined')) as not_evaluated,
        count(*) filter (where u.class = 'before_coverage') as before_coverage
    from (
        select w.rule, w.source_id, w.reason as class
        from tieout.watch as w
        where w.account_id = $1
        union all
        select j.rule, j.source_id, j.class
        from run_judged as j
        inner join run_stand as s
            on s.rule = j.rule and s.subject = j.subject
        where j.class = 'break'
    ) as u
    group by u.rule, u.source_id
)

select
    $1::bigint,
    $2::bigint,
    s.rule,
    s.source_id,
    case when s.is_applicable and (s.is_fresh or not r.rule = any($5::text[])) then coalesce(n.records, 0) else 0 end,
    coalesce(j.findings, 0),
    coalesce(j.awaiting, 0),
    coalesce(j.not_evaluated, 0),
    coalesce(j.before_coverage, 0),
    not s.is_applicable,
    s.reason,
    s.watermark - r.grace::interval
from run_rule_source as s
inner join unnest($3::text[], $4::text[]) as r (rule, grace) on r.rule = s.rule
left join records as n on n.source_id = s.source_id
left join judged as j on j.rule = s.rule and j.source_id = s.source_id
