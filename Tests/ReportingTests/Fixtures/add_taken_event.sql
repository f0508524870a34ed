-- One row put in: one event that says the money of transaction $1 was taken at $2. $3 its verdict.
insert into tieout.webhook_event (
    account_id, source_id, event_key, run_id, observed_at, kind, transaction_id, raw_status, state, state_rank, money,
    direction, event_time, first_received_at, last_received_at, deliveries, verdict, body_digest, kept_digest
)
values (
    1, 'meld-live', 'E-' || $1, 2, '2026-08-22T00:30:00Z', 'TRANSACTION', $1, 'SETTLING', 'settling', 1, 'taken', 'in',
    $2::timestamptz, $2::timestamptz, $2::timestamptz, 1, $3, sha256('a'), sha256('a')
)
