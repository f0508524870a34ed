-- One row: one record that could not be taken in. Met again it is not new; met again after it was cleared it is open
-- again; what a person dropped stays dropped.
insert into tieout.quarantine (
    account_id, source_id, feed, quarantine_id, run_id, last_run_id, observed_at, reason, record_id, refs, place, raw,
    length, digest
)
values ($1, $2, $3, $4, $5, $5, $6, $7, $8, $9, $10, $11, $12, $13)
on conflict (account_id, source_id, feed, quarantine_id) do update
set
    last_run_id = excluded.last_run_id,
    reason = excluded.reason,
    run_id = case when quarantine.state = 'cleared' then excluded.run_id else quarantine.run_id end,
    state = case when quarantine.state = 'cleared' then 'open' else quarantine.state end
returning run_id = $5 as is_new
