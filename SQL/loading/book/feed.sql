-- One row: where the book of one source stands after the file in hand. A file is one export of all the sources it holds:
-- each of them is covered as far as the newest row of any.
-- $1 account, $2 ledger time, $3 --covers-until, $4 when the book was written.
insert into tieout.feed_state (
    account_id, source_id, feed, covered_from, watermark, last_attempt_at, last_success_at, backfill_complete, records,
    counters
)
select
    $1,
    r.source_id,
    'book',
    min(r.created_at),
    -- A time ahead of us is a slip of a clock, not a promise to be complete up to there.
    coalesce(
        $3::timestamptz,
        least(
            max(max(greatest(r.created_at, r.updated_at, r.paid_at, r.credited_at, r.failed_at))) over (), $2
        )
    ),
    $2,
    $2,
    true,
    count(*) filter (where f.fate = 'new'),
    jsonb_build_object(
        'records', count(*), 'new', count(*) filter (where f.fate = 'new'),
        'changed', count(*) filter (where f.fate = 'changed'), 'late', count(*) filter (where f.fate = 'late'),
        'unknown_statuses', count(*) filter (where r.state_rank = 0),
        'exported', tieout.moment($4)::bigint
    )
from book_row r
join book_fate f on f.line_no = r.line_no
group by r.source_id
on conflict (account_id, source_id, feed) do update set
    covered_from = least(feed_state.covered_from, excluded.covered_from),
    watermark = greatest(feed_state.watermark, excluded.watermark),
    last_attempt_at = excluded.last_attempt_at,
    last_success_at = excluded.last_success_at,
    failing_since = null,
    failure = null,
    backfill_complete = true,
    records = feed_state.records + excluded.records,
    counters = excluded.counters || jsonb_build_object(
        'exported',
        greatest((feed_state.counters ->> 'exported')::bigint, (excluded.counters ->> 'exported')::bigint)
    )
