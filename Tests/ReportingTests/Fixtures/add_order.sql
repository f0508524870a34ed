-- One row put in: one order of meld-live. $1 its id, $2 its status.
insert into tieout.book_order (
    account_id, order_id, source_id, run_id, observed_at, request_started_at, version_time, state_rank, status, direction,
    amount, currency, created_at, refs, file_digest, line_no, content_hash
)
values (
    1, $1, 'meld-live', 2, '2026-08-22T00:31:00Z', '2026-08-22T00:31:00Z', '2026-08-20T10:00:00Z', 1, $2, 'in', 10, 'EUR',
    '2026-08-20T10:00:00Z', array['book:order=' || $1], sha256('a'), 1, sha256(convert_to($1, 'UTF8'))
)
