-- One row: the version of an order that a row of the book file in hand replaces. $1 account, $2 ledger time.
with gone as (
    delete from tieout.book_order o
    using book_row r, book_fate f
    where f.fate = 'changed' and r.line_no = f.line_no
        and o.account_id = $1 and o.account_id = r.account_id and o.order_id = r.order_id
    returning o.*
)

insert into tieout.book_order_history (
    account_id, order_id, source_id, run_id, observed_at, request_started_at, version_time, state_rank, status,
    direction, amount, currency, created_at, updated_at, provider_order_id, provider_session_id,
    provider_transaction_id, customer_id, destination_amount, destination_currency, wallet_address, wallet_tag,
    payment_method, country, segment, expires_at, paid_at, credited_at, failed_at, credited_amount, refunded_amount,
    idempotency_key, extra, refs, file_digest, line_no, content_hash, superseded_at
)
select
    g.account_id, g.order_id, g.source_id, g.run_id, g.observed_at, g.request_started_at, g.version_time,
    g.state_rank, g.status, g.direction, g.amount, g.currency, g.created_at, g.updated_at, g.provider_order_id,
    g.provider_session_id, g.provider_transaction_id, g.customer_id, g.destination_amount, g.destination_currency,
    g.wallet_address, g.wallet_tag, g.payment_method, g.country, g.segment, g.expires_at, g.paid_at, g.credited_at,
    g.failed_at, g.credited_amount, g.refunded_amount, g.idempotency_key, g.extra, g.refs, g.file_digest, g.line_no,
    g.content_hash, $2
from gone g
on conflict do nothing
