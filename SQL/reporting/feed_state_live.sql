-- One row: where one feed stands now.
select
    f.account_id,
    f.source_id,
    f.feed,
    f.covered_from,
    f.watermark,
    f.last_attempt_at,
    f.last_success_at,
    f.failing_since,
    f.failure,
    f.incomplete_since,
    f.incomplete_why,
    f.backfill_complete,
    f.late_arrivals,
    f.records,
    f.counters
from tieout.feed_state f
where f.account_id = {account}
