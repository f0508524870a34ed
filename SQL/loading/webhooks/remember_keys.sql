-- One row: the keys by which the waiting events of a source were judged. $1 account, $2 source, $3 fingerprints, $4 run,
-- $5 ledger time.
insert into tieout.webhook_keys (account_id, source_id, fingerprints, run_id, judged_at)
values ($1, $2, $3, $4, $5)
on conflict (account_id, source_id) do update set
    fingerprints = excluded.fingerprints,
    run_id = excluded.run_id,
    judged_at = excluded.judged_at
