-- What was done about records that could not be taken in.

-- One row: one thing that happened to one quarantined record because a person asked for it. Append-only.
create table tieout.quarantine_event (
    account_id bigint not null,
    source_id text collate "C" not null,
    feed text collate "C" not null,
    quarantine_id text collate "C" not null,
    seq bigint not null,                           -- counts up per record
    event text collate "C" not null check (event in ('dropped', 'retried', 'cleared')),
    at timestamptz not null,                       -- ledger time
    actor text not null,                           -- the operating-system user who asked, never a typed name
    run_id bigint,                                 -- the run that tried it again
    reason text,                                   -- why it was given up, or why it still cannot be taken in
    primary key (account_id, source_id, feed, quarantine_id, seq)
);
