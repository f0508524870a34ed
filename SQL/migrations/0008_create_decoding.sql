-- By which reading the stored versions were decoded, so that a changed status map reads the kept bytes anew.

-- One row: the reading by which one kind of one source's records was decoded, and how far a new one has come.
create table tieout.decoding (
    account_id bigint not null,
    source_id text collate "C" not null,
    kind text collate "C" not null check (kind in ('transaction', 'event')),
    digest bytea not null,                         -- SHA-256 over status map, mapping version and currencies
    next_digest bytea,                             -- the reading that is being gone over to; null: none
    position jsonb,                                -- last row gone over; null: at the beginning
    unread bigint not null default 0,              -- versions of an older reading whose bytes are not kept any more
    run_id bigint not null,                        -- that changed this row last
    changed_at timestamptz not null,               -- ledger time
    primary key (account_id, source_id, kind)
);

-- Versions whose bytes are gone carry an empty raw_hash until they were read again: whatever comes is news then.
create index transaction_unread on tieout.transaction (account_id, source_id, resource) where raw_hash = ''::bytea;

-- One row: one earlier reading of one webhook event.
create table tieout.webhook_event_history (
    like tieout.webhook_event including defaults,
    superseded_at timestamptz not null,
    primary key (account_id, source_id, event_key, superseded_at)
) partition by range (superseded_at);
