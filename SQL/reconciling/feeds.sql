-- One row put in: one feed that one source gives. $1 account, $2 as_of, $3 run, $4 feeds, $5 the age up to which each is
-- fresh. A feed that never came is not put in: rules that need it are not applicable there. A webhook feed of which
-- more than 5 % (at least 20) of this run's events are no evidence is not fresh: silence proves nothing then.
insert into run_feed (source_id, feed, covered_from, watermark, is_fresh, reason)
select
    f.source_id,
    f.feed,
    f.covered_from,
    f.watermark,
    f.watermark is not null
    and f.watermark >= $2::timestamptz - a.max_age
    and coalesce(w.refused < 20 or w.refused * 20 <= w.events, true) as is_fresh,
    case
        when f.watermark is null then f.feed || ' has no complete window yet'
        when f.watermark < $2::timestamptz - a.max_age then f.feed || ' is older than it may be'
        when w.refused >= 20 and w.refused * 20 > w.events then 'more than 5 % of the events are not valid'
    end as reason
from tieout.feed_state as f
inner join unnest($4::text[], $5::interval[]) as a (feed, max_age) on a.feed = f.feed
left join (
    select
        e.source_id,
        count(*) as events,
        count(*) filter (
            where e.verdict <> 'valid' and not (e.verdict = 'unsigned' and s.unsigned_counts)
        ) as refused
    from tieout.webhook_event as e
    inner join scope.source as s
        on s.account_id = e.account_id and s.source_id = e.source_id
    where e.account_id = $1 and e.run_id = $3
    group by e.source_id
) as w on w.source_id = f.source_id and f.feed = 'webhook'
where f.account_id = $1
