-- One row: what the run learnt of one source's events, with events added that nobody knew before the batch in hand.
-- $1 account, $2 source, $3 run, $4 ledger time, $5 events, $6 no evidence, $7 invalid, $8 stale, $9 unsigned, $10 no_key.
insert into tieout.webhook_run (
    account_id, source_id, run_id, observed_at, events, not_evidence, invalid, stale, unsigned, no_key
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
on conflict (account_id, source_id, run_id) do update set
    observed_at = excluded.observed_at,
    events = webhook_run.events + excluded.events,
    not_evidence = webhook_run.not_evidence + excluded.not_evidence,
    invalid = webhook_run.invalid + excluded.invalid,
    stale = webhook_run.stale + excluded.stale,
    unsigned = webhook_run.unsigned + excluded.unsigned,
    no_key = webhook_run.no_key + excluded.no_key
