-- One row: one feed of one source, as the run left it. How the reading went (pages, retries, waits, rows read twice where a
-- list was split) depends on the hour and the network, and stays in feed_state: the same facts give the same file.
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
    f.counters - array[
        'pages', 'rows', 'groups', 'unchanged', 'raw_only', 'requests', 'retries', 'too_many_requests', 'waited_ms',
        'not_before', 'short_pages', 'empty_pages'
    ] as counters,
    f.test_records,
    f.new_rows,
    f.stranded,
    f.swept
from {feeds} f
