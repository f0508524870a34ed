-- One row: one order as the book file in hand has it, new or changed.
insert into tieout.book_order (
    account_id, order_id, source_id, run_id, observed_at, request_started_at, version_time, state_rank, status,
    direction, amount, currency, created_at, updated_at, provider_order_id, provider_session_id,
    provider_transaction_id, customer_id, destination_amount, destination_currency, wallet_address, wallet_tag,
    payment_method, country, segment, expires_at, paid_at, credited_at, failed_at, credited_amount, refunded_amount,
    idempotency_key, extra, refs, file_digest, line_no, content_hash
)
select
    r.account_id, r.order_id, r.source_id, r.run_id, r.observed_at, r.request_started_at, r.version_time,
    r.state_rank, r.status, r.direction, r.amount, r.currency, r.created_at, r.updated_at, r.provider_order_id,
    r.provider_session_id, r.provider_transaction_id, r.customer_id, r.destination_amount, r.destination_currency,
    r.wallet_address, r.wallet_tag, r.payment_method, r.country, r.segment, r.expires_at, r.paid_at, r.credited_at,
    r.failed_at, r.credited_amount, r.refunded_amount, r.idempotency_key, r.extra, r.refs, r.file_digest, r.line_no,
    r.content_hash
from book_row r
join book_fate f on f.line_no = r.line_no
where f.fate in ('new', 'changed')
