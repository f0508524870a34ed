-- One row: where one feed of one source stands.
select
    covered_from,
    watermark,
    failing_since,
    backfill_complete,
    baseline_run_id,
    counters
from tieout.feed_state
where account_id = $1
    and source_id = $2
    and feed = $3
