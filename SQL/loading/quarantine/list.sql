-- One row: one quarantined record. $1 account, $2 feed, $3 source, $4 state, $5 words of the reason, $6 not known before,
-- $7 ids (each null: all), $8 rows at most.
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
    q.digest,
    q.raw is not null as is_kept,
    q.observed_at,
    q.run_id,
    q.last_run_id,
    q.state_changed_at,
    q.state_changed_by
from tieout.quarantine q
where q.account_id = $1
    and ($2::text is null or q.feed = $2)
    and ($3::text is null or q.source_id = $3)
    and ($4::text is null or q.state = $4)
    and ($5::text is null or position(lower($5) in lower(q.reason)) > 0)
    and ($6::timestamptz is null or q.observed_at >= $6)
    and ($7::text[] is null or q.quarantine_id = any($7))
order by q.observed_at, q.feed, q.source_id, q.quarantine_id
limit $8
