-- One row: where the settlement feed of one source stands after the file in hand. $1 account, $2 source, $3 ledger time,
-- $4 --covers-until, $5 and $6 the times the file covers, $7 records that were not known before, $8 counters.
insert into tieout.feed_state (
    account_id, source_id, feed, covered_from, watermark, last_attempt_at, last_success_at, backfill_complete, records,
    counters
)
-- A time ahead of us is a slip of a clock, not a promise to be complete up to there.
values ($1, $2, 'settlement', $5, coalesce($4::timestamptz, least($6::timestamptz, $3)), $3, $3, true, $7, $8::jsonb)
on conflict (account_id, source_id, feed) do update set
    covered_from = least(feed_state.covered_from, excluded.covered_from),
    watermark = greatest(feed_state.watermark, excluded.watermark),
    last_attempt_at = excluded.last_attempt_at,
    last_success_at = excluded.last_success_at,
    failing_since = null,
    failure = null,
    backfill_complete = true,
    records = feed_state.records + excluded.records,
    counters = excluded.counters
