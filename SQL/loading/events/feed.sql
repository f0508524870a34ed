-- One row: the webhook feed of one source after its event list was read. $1 account, $2 source, $3 ledger time, $4 first
-- and $5 last moment covered (null: not read to its end), $6 since when the list cannot be read (null: it was read), $7 why
-- not, $8 end of a gap in the list that was found now (null: none), $9 counters. Before a gap that no capture covers
-- either nothing is known to be whole: coverage begins behind it.
insert into tieout.feed_state as f (
    account_id, source_id, feed, covered_from, watermark, last_attempt_at, last_success_at, failing_since, failure,
    backfill_complete, counters
)
values (
    $1, $2, 'webhook', $4, $5, $3, case when $6::timestamptz is null then $3 end, $6, $7, $5::timestamptz is not null, $9
)
on conflict (account_id, source_id, feed) do update set
    covered_from = case
        when f.watermark < $8::timestamptz then $8::timestamptz
        else least(f.covered_from, excluded.covered_from)
    end,
    watermark = greatest(f.watermark, excluded.watermark),
    last_attempt_at = excluded.last_attempt_at,
    last_success_at = coalesce(excluded.last_success_at, f.last_success_at),
    failing_since = excluded.failing_since,
    failure = excluded.failure,
    backfill_complete = f.backfill_complete or excluded.backfill_complete,
    counters = f.counters - 'event_gap' || excluded.counters
