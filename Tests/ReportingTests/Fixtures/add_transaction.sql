-- One row put in: one transaction of meld-live. $1 its id, $2 created at, $3 status, $4 state, $5 money, $6 what the status
-- means after money was taken.
insert into tieout.transaction (
    account_id, source_id, resource, transaction_id, run_id, observed_at, request_started_at, version_time, state_rank,
    created_at, updated_at, direction, raw_status, state, money, after_taken, is_final, charged, charged_currency,
    evidence_pack, evidence_offset, evidence_length, raw_hash, content_hash
)
values (
    1, 'meld-live', 'transaction', $1, 2, '2026-08-22T00:31:00Z', '2026-08-22T00:31:00Z',
    $2::timestamptz + interval '1 hour', 1, $2::timestamptz, $2::timestamptz + interval '1 hour', 'in', $3, $4, $5, $6,
    true, 10, 'EUR', 1, 0, 0, sha256(convert_to($1, 'UTF8')), sha256(convert_to($1, 'UTF8'))
)
