-- One row: one record of the book file in hand, every column as the text that PostgreSQL's CSV reader saw.
-- At the end the columns that nobody modelled, named extra_1, extra_2, … in the file's order.
create temp table book_file (
    line_no bigint not null,                       -- physical line on which the record begins
    record_length bigint not null,                 -- bytes of the record
    order_id text,
    source text,
    status text,
    amount text,
    currency text,
    created_at text,
    direction text,
    provider_order_id text,
    provider_session_id text,
    provider_transaction_id text,
    customer_id text,
    destination_amount text,
    destination_currency text,
    wallet_address text,
    wallet_tag text,
    payment_method text,
    country text,
    segment text,
    expires_at text,
    paid_at text,
    credited_at text,
    failed_at text,
    updated_at text,
    credited_amount text,
    refunded_amount text,
    idempotency_key text{extra_columns}
) on commit drop
