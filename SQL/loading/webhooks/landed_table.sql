-- One row: one delivery of the batch in hand that is not known yet, or known with a worse verdict.
create temp table webhook_landed (
    event_key text collate "C" not null,
    received_at timestamptz not null,
    delivery_digest bytea not null,
    verdict text not null,
    key_fingerprint text,
    is_evidence boolean not null,                  -- valid, or unsigned where the source sends no signatures
    retry_count int,
    url text,
    signature_headers text not null,               -- a JSON object
    body_digest bytea not null,
    kept_digest bytea not null,
    evidence_pack int,
    evidence_offset int,
    evidence_length int,
    file_digest bytea not null,
    line_no bigint not null,
    is_fetched boolean not null,                   -- from the provider's own list
    kind text collate "C",
    transaction_id text collate "C",
    raw_status text collate "C",
    state text collate "C",
    state_rank smallint,
    money text collate "C",
    after_held text collate "C",
    after_taken text collate "C",
    after_delivered text collate "C",
    direction text collate "C",
    event_time timestamptz,
    is_test boolean,
    customer_id text collate "C",
    refs text[],
    flags text[]
) on commit drop
