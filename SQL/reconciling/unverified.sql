-- One row put in: the events that one run learnt of one source and that are no evidence to this day. $1 account. A flood:
-- more than 5 % of all that the run learnt, and at least 20. What is proven later belongs to the run that proved it, so the
-- whole is taken from the run's own tally; without one, what is left of the run is counted.
insert into run_unverified (source_id, run_id, since, events, refused, is_flood)
with refused as (
    select e.source_id, e.run_id, min(e.observed_at) as since, count(*) as events
    from tieout.webhook_event as e
    inner join scope.source as s
        on s.account_id = e.account_id and s.source_id = e.source_id
    where e.account_id = $1
        and e.verdict <> 'valid'
        and not (e.verdict = 'unsigned' and s.unsigned_counts)
    group by e.source_id, e.run_id
)

select
    r.source_id,
    r.run_id,
    r.since,
    t.events,
    t.refused,
    r.events >= 20 and r.events * 20 > t.events
from refused as r
left join tieout.webhook_run as w
    on w.account_id = $1 and w.source_id = r.source_id and w.run_id = r.run_id
-- All of a run are counted only where there are enough to matter.
left join lateral (
    select count(*) as events
    from tieout.webhook_event as a
    where a.account_id = $1 and a.source_id = r.source_id and a.run_id = r.run_id
    having w.run_id is null and r.events >= 20
) as n on true
cross join lateral (
    select coalesce(w.events, n.events, r.events) as events, greatest(w.not_evidence, r.events) as refused
) as t
