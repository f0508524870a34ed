-- One row: a source's provider feed whose first walk has reached the start, committed with the walk's last rows.
insert into tieout.feed_state (
    account_id, source_id, feed, covered_from, watermark, last_attempt_at, last_success_at, backfill_complete
)
values ($1, $2, 'provider', $3, $4, $5, $5, true)
on conflict (account_id, source_id, feed) do update
set
    covered_from = coalesce(feed_state.covered_from, excluded.covered_from),
    watermark = greatest(feed_state.watermark, excluded.watermark),
    last_attempt_at = excluded.last_attempt_at,
    last_success_at = excluded.last_success_at,
    backfill_complete = true
