-- One row: one record of the settlement file in hand, its columns as the text that PostgreSQL's CSV reader saw, under one
-- name whatever the format calls them. Columns that nobody asks for, personal ones among them, never come here.
create temp table settlement_file (
    line_no bigint not null,                       -- physical line on which the record begins
    record_length bigint not null,                 -- bytes of the record
    block int not null,                            -- the payout it belongs to, by its place in the file; 0: none is named
    is_head boolean not null,                      -- it states the payout itself
    settlement_id text,
    payout_id text,
    record_id text,                                -- the provider's id of what it is about
    reference text,
    original_reference text,                       -- the merchant's id of the payment that it reverses
    type text,
    gross text,
    fee text,
    tax text,
    other text,
    net text,
    currency text,
    transaction_amount text,
    transaction_currency text,
    fx_rate text,
    settled_on text,
    happened_at text,
    items text,
    status text,
    payment_method text,
    segment text,
    description text                               -- where it looks like an id
) on commit drop
