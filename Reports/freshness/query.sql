-- One row: one feed of one source, as the run left it.
select
    f.source_id as source,
    f.provider,
    f.environment,
    f.life,
    f.feed,
    f.state,
    f.covered_from,
    f.watermark,
    f.last_attempt_at,
    f.last_success_at,
    f.failing_since,
    f.incomplete_since,
    f.why,
    f.backfill_complete,
    f.late_arrivals,
    f.records,
    f.counters
from {feeds} f
