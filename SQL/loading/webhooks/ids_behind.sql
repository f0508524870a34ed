-- One row: one record that a valid event knows better than the poll: never seen, or behind the event. A payment by its id,
-- another record as resource/id. An event that says no more than that something has changed counts with every delivery
-- since the last complete poll, because the same bytes may tell of another change. What the provider did not know is asked
-- for as long as the event is no older than the look-back, $5 seconds before the last complete poll; what waits in quarantine
-- is when an event came after it was met; another account's is not. $1 account, $2 source, $3 whether unsigned events are
-- evidence, $4 only events observed from here on (null: all).
select distinct e.transaction_id collate "C" as transaction_id
from tieout.webhook_event e
left join tieout.transaction t on t.account_id = e.account_id and t.source_id = e.source_id
    and t.resource = tieout.resource_of(e.transaction_id) and t.transaction_id = tieout.record_of(e.transaction_id)
left join tieout.resource_state r on r.account_id = e.account_id and r.source_id = e.source_id
    and r.resource = tieout.resource_of(e.transaction_id)
left join (
    select w.record_id, max(w.observed_at) as met_at
    from tieout.quarantine w
    where w.account_id = $1 and w.source_id = $2 and w.feed = 'provider' and w.state = 'open'
    group by w.record_id
) q on q.record_id = e.transaction_id
left join tieout.stranger f on f.account_id = e.account_id and f.source_id = e.source_id
    and f.transaction_id = e.transaction_id
where e.account_id = $1 and e.source_id = $2
    and e.transaction_id is not null
    and (e.verdict = 'valid' or (e.verdict = 'unsigned' and $3))
    and ($4::timestamptz is null or e.observed_at >= $4)
    and (
        (
            t.transaction_id is null
            and f.transaction_id is null
            and (
                r.last_success_at is null
                or greatest(e.observed_at, e.recounted_at) > r.last_success_at - make_interval(secs => $5::bigint)
            )
            and (q.met_at is null or q.met_at < greatest(e.observed_at, e.recounted_at))
        )
        or (t.transaction_id is not null and e.raw_status is null and (
            r.last_success_at is null or greatest(e.observed_at, e.recounted_at) > r.last_success_at
        ))
        or (e.event_time > t.version_time and e.raw_status <> t.raw_status)
        or (e.state_rank > t.state_rank and e.raw_status <> t.raw_status)
    )
order by 1
