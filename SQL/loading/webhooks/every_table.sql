-- One row: one delivery, landed or stored, of an event that the batch in hand touches.
create temp table webhook_every (
    event_key text collate "C" not null,
    received_at timestamptz not null,
    delivery_digest bytea not null,
    is_landed boolean not null,                    -- in this batch and not stored yet
    is_known boolean not null,                     -- the event was known before this batch
    is_evidence boolean not null,
    was_applied boolean not null,
    is_best boolean not null,                      -- the event's columns are this delivery's
    is_candidate boolean not null,                 -- the first delivery of the best body
    deliveries int not null,                       -- of the event, with the batch
    first_received_at timestamptz not null,
    last_received_at timestamptz not null,
    max_retry int,
    bodies int not null                            -- different bodies of the event
) on commit drop
