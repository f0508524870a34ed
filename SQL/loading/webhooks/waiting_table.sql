-- One row: one delivery of the batch in hand that is no evidence, with its exact bytes.
create temp table webhook_waiting (
    event_key text collate "C" not null,
    received_at timestamptz not null,
    body_digest bytea not null,
    delivery text not null,                        -- url and the headers a signature needs, as JSON
    body bytea not null
) on commit drop
