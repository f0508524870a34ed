-- One row: the run that is reported, and the one before it that the reader compares with.
select
    a.name as account,
    a.zone,
    r.job,
    r.run_id,
    coalesce(r.as_of, r.ledger_time) as as_of,
    r.period_from,
    r.period_to,
    to_char(tieout.business_day(r.period_from, a.zone, a.cut_off), 'YYYY-MM-DD') || ' to '
        || to_char(d.business_day, 'YYYY-MM-DD') as period_text,
    r.started_at,
    r.host,
    r.state,
    to_char(d.business_day, 'YYYY-MM-DD') as business_day,
    to_char(d.business_day, 'FMDay FMDD FMMonth YYYY') as business_day_text,
    p.run_id as since_run,
    p.as_of as since_as_of,
    r.summary ? 'feeds' as keeps_feeds,
    exists (
        select 1
        from tieout.run_rule u
        where u.account_id = r.account_id and u.run_id > r.run_id
    ) as has_successor,
    r.exit_status,
    r.conditions
from tieout.run r
join tieout.account a on a.account_id = r.account_id
cross join lateral (
    select tieout.business_day(
        coalesce(r.period_to - interval '1 microsecond', r.as_of, r.ledger_time), a.zone, a.cut_off
    ) as business_day
) d
left join lateral (
    select n.run_id, n.as_of
    from tieout.run n
    where n.account_id = r.account_id and n.job = r.job and n.run_id < r.run_id and n.as_of is not null
      and n.state in ('done', 'incomplete')
    order by n.run_id desc
    limit 1
) p on true
where r.account_id = {account} and r.run_id = {run}
