-- What is read from the merchant's own database, by which keys events were judged, and which orders a complete book lacks.

-- One row: how far one query on the merchant's database was read.
create table tieout.query_position (
    account_id bigint not null,
    feed text collate "C" not null,                -- webhook | book
    digest bytea not null,                         -- SHA-256 of the query and of the column it is read on by
    name text not null,                            -- as messages call it
    position text,                                 -- value of that column from which to read on; null: from the start
    sources text[] collate "C" not null default '{}', -- whose rows it has shown
    run_id bigint not null,
    observed_at timestamptz not null,              -- ledger time of the last complete reading's snapshot
    primary key (account_id, feed, digest)
);

-- One row: the keys by which the waiting events of one source were judged last.
create table tieout.webhook_keys (
    account_id bigint not null,
    source_id text collate "C" not null,
    fingerprints text[] collate "C" not null,
    run_id bigint not null,
    judged_at timestamptz not null,
    primary key (account_id, source_id)
);

-- One row: a spell in which an order was missing from books that were loaded as complete. It ends when a later export
-- shows the order again. As of T: observed_at <= T, and returned_at null or later than T.
create table tieout.book_absence (
    account_id bigint not null,
    order_id text collate "C" not null,
    observed_at timestamptz not null,              -- ledger time at which it was first found missing
    source_id text collate "C" not null,
    exported_at timestamptz not null,              -- of the book that lacks it
    run_id bigint not null,
    file_digest bytea not null,
    returned_at timestamptz,                       -- ledger time of the load that showed it again; null: still missing
    returned_run_id bigint,
    primary key (account_id, order_id, observed_at)
);

-- When the merchant's system wrote the file: the same bytes under a later moment are a new statement.
alter table tieout.loaded_file add column exported_at timestamptz;
