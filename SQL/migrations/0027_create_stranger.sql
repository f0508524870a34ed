-- One row: one payment that a record or an event of ours names and that the provider, asked for it, showed as another
-- account's. What speaks of it alone is not ours either. Append-only.
create table tieout.stranger (
    account_id bigint not null,
    source_id text collate "C" not null,
    transaction_id text collate "C" not null,
    observed_at timestamptz not null,
    run_id bigint not null,
    primary key (account_id, source_id, transaction_id)
);
