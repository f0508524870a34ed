-- One row: where one feed of one source stands after this run. The watermark never goes back.
insert into tieout.feed_state (
    account_id, source_id, feed, covered_from, watermark, last_attempt_at, last_success_at, failing_since, failure,
    backfill_complete, baseline_run_id, records, late_arrivals, counters
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
on conflict (account_id, source_id, feed) do update
set
    covered_from = least(feed_state.covered_from, excluded.covered_from),
    watermark = greatest(feed_state.watermark, excluded.watermark),
    last_attempt_at = excluded.last_attempt_at,
    last_success_at = coalesce(excluded.last_success_at, feed_state.last_success_at),
    failing_since = excluded.failing_since,
    failure = excluded.failure,
    backfill_complete = feed_state.backfill_complete or excluded.backfill_complete,
    baseline_run_id = coalesce(feed_state.baseline_run_id, excluded.baseline_run_id),
    records = excluded.records,
    late_arrivals = excluded.late_arrivals,
    counters = excluded.counters
