-- One row: one stored transaction that its provider does not know any more: a proven window no longer shows it, and asked
-- for by its id it was not found. A row for each time that it went; returned_at is null while it is gone.
create table tieout.vanished (
    account_id bigint not null,
    source_id text collate "C" not null,
    resource text collate "C" not null,
    transaction_id text collate "C" not null,
    since timestamptz not null,                    -- ledger time of the poll that missed it
    returned_at timestamptz,
    run_id bigint not null,
    primary key (account_id, source_id, resource, transaction_id, since)
);
create index vanished_by_news on tieout.vanished (account_id, since);
