-- One row: the webhook feed of one source, held until the batch is committed: two loads of a source wait for each other,
-- so that what an event becomes is judged over all of its deliveries. batches tells a loader whether somebody wrote
-- since its last one. $1 account, $2 source, $3 ledger time.
insert into tieout.feed_state (account_id, source_id, feed, last_attempt_at, batches)
values ($1, $2, 'webhook', $3, 1)
on conflict (account_id, source_id, feed) do update set
    last_attempt_at = excluded.last_attempt_at,
    batches = feed_state.batches + 1
returning batches
