-- One row: one quarantined record. $1 account, $2 feed or null, $3 source or null, $4 state or null, $5 rows at most.
select
    q.quarantine_id,
    q.feed,
    q.source_id,
    q.state,
    q.reason,
    q.record_id,
    q.refs,
    q.place,
    q.length,
    q.observed_at,
    q.run_id,
    q.last_run_id
from tieout.quarantine q
where q.account_id = $1
    and ($2::text is null or q.feed = $2)
    and ($3::text is null or q.source_id = $3)
    and ($4::text is null or q.state = $4)
order by q.observed_at, q.feed, q.source_id, q.quarantine_id
limit $5
