-- What the sides said. Each kind of fact has a current table (its key makes a second current row impossible) and an
-- insert-only history. As of T = current where observed_at <= T, plus history where observed_at <= T and
-- superseded_at > T. Version order: (version_time, state_rank, request_started_at, content_hash).

-- One row: the kept bytes of one commit group, concatenated and compressed with zstd. Versions hold offset and length
-- within the decompressed bytes.
create table tieout.evidence (
    account_id bigint not null,
    source_id text collate "C" not null,
    run_id bigint not null,
    pack_no int not null,
    body bytea not null,
    primary key (account_id, source_id, run_id, pack_no)
);
alter table tieout.evidence alter column body set storage external;

-- One row: the current version of one transaction as its provider reports it.
create table tieout.transaction (
    account_id bigint not null,
    source_id text collate "C" not null,
    resource text collate "C" not null,            -- transaction | refund | dispute | …
    transaction_id text collate "C" not null,
    run_id bigint not null,                        -- the run that learnt this version; its evidence pack
    observed_at timestamptz not null,              -- ledger time at which we learnt it
    request_started_at timestamptz not null,       -- ledger time of the request that brought it
    version_time timestamptz not null,             -- the provider's update time, else the request's start
    state_rank smallint not null,
    created_at timestamptz not null,
    updated_at timestamptz,
    direction text collate "C" not null check (direction in ('in', 'out')),
    kind text collate "C",                         -- the provider's type, verbatim
    raw_status text collate "C" not null,          -- verbatim
    state text collate "C" not null,
    money text collate "C" not null,               -- by this version alone
    after_held text collate "C",                   -- money instead, where held was seen earlier (null: no difference)
    after_taken text collate "C",                  -- the same after taken
    after_delivered text collate "C",              -- the same after delivered
    is_final boolean not null,
    taken_at timestamptz,                          -- the provider's paid or approved time, where it gives one
    provider text collate "C",                     -- who carries it out, beneath an aggregator
    payment_method text collate "C",
    country text collate "C",
    charged numeric,                               -- what the customer was debited, fees included
    charged_currency text collate "C",
    delivered numeric,                             -- what the customer received
    delivered_currency text collate "C",
    returned numeric,
    disputed numeric,
    fee_network numeric,
    fee_provider numeric,
    fee_partner numeric,
    fee_other numeric,
    fee_total numeric,                             -- null: not known yet, which is not zero
    fee_currency text collate "C",
    customer_id text collate "C",
    wallet_address text collate "C",
    wallet_tag text collate "C",
    segment text collate "C",                      -- null: unassigned
    is_test boolean not null default false,
    refs text[] collate "C" not null default '{}', -- kind=value, sorted
    flags text[] collate "C" not null default '{}',-- what the mapping noticed, e.g. type_missing, fee_sum_differs
    unmapped bytea,                                -- 16 bytes of SHA-256 over the paths and values no column holds
    evidence_pack int not null,
    evidence_offset int not null,
    evidence_length int not null,
    raw_hash bytea not null,                       -- 16 bytes of SHA-256 over kept bytes less volatile paths
    content_hash bytea not null,                   -- 16 bytes of SHA-256 over mapped columns and unmapped paths
    primary key (account_id, source_id, resource, transaction_id)
);
-- The poller's question: what do we hold of this window? Answered by one range scan of the index alone.
create index transaction_by_creation on tieout.transaction
    (account_id, source_id, resource, created_at)
    include (transaction_id, raw_hash, content_hash, version_time);
create index transaction_not_final on tieout.transaction (account_id, source_id, resource, created_at)
    where not is_final;

-- One row: one earlier version. superseded_at = observed_at for a version that came late and was older.
create table tieout.transaction_history (
    like tieout.transaction including defaults,
    superseded_at timestamptz not null,
    primary key (account_id, source_id, resource, transaction_id, superseded_at, content_hash)
) partition by range (superseded_at);

-- One row: the current version of one order of the merchant's book.
create table tieout.book_order (
    account_id bigint not null,
    order_id text collate "C" not null,
    source_id text collate "C" not null,           -- through which source the book expects it to be paid
    run_id bigint not null,
    observed_at timestamptz not null,
    request_started_at timestamptz not null,       -- --exported-at, else the load's ledger time
    version_time timestamptz not null,
    state_rank smallint not null,
    status text collate "C" not null,              -- verbatim; known words: open … disputed
    direction text collate "C" not null check (direction in ('in', 'out')),
    amount numeric not null,
    currency text collate "C" not null,
    created_at timestamptz not null,
    updated_at timestamptz,
    provider_order_id text collate "C",
    provider_session_id text collate "C",
    provider_transaction_id text collate "C",
    customer_id text collate "C",
    destination_amount numeric,
    destination_currency text collate "C",
    wallet_address text collate "C",
    wallet_tag text collate "C",
    payment_method text collate "C",
    country text collate "C",
    segment text collate "C",
    expires_at timestamptz,
    paid_at timestamptz,
    credited_at timestamptz,
    failed_at timestamptz,
    credited_amount numeric,
    refunded_amount numeric,
    idempotency_key text collate "C",
    extra jsonb not null default '{}',             -- columns of the file that nobody modelled
    refs text[] collate "C" not null default '{}',
    file_digest bytea not null,
    line_no bigint not null,
    content_hash bytea not null,
    primary key (account_id, order_id)
);
create index book_order_by_creation on tieout.book_order (account_id, source_id, created_at);

create table tieout.book_order_history (
    like tieout.book_order including defaults,
    superseded_at timestamptz not null,
    primary key (account_id, order_id, superseded_at, content_hash)
) partition by range (superseded_at);

-- One row: one webhook event, however often it was delivered. Its columns are those of its best delivery: valid before
-- any other verdict, then the newest body.
create table tieout.webhook_event (
    account_id bigint not null,
    source_id text collate "C" not null,
    event_key text collate "C" not null,           -- the provider's event id, else the body's digest
    run_id bigint not null,
    observed_at timestamptz not null,              -- ledger time at which we first held it as it stands
    kind text collate "C",                         -- event type, verbatim
    transaction_id text collate "C",
    raw_status text collate "C",
    state text collate "C",                        -- null: the event carries no state
    state_rank smallint,
    money text collate "C",
    after_held text collate "C",
    after_taken text collate "C",
    after_delivered text collate "C",
    direction text collate "C",
    event_time timestamptz,
    first_received_at timestamptz not null,
    last_received_at timestamptz not null,
    deliveries int not null,
    max_retry int,
    verdict text collate "C" not null,
    key_fingerprint text collate "C",
    is_test boolean not null default false,
    customer_id text collate "C",
    refs text[] collate "C" not null default '{}',
    flags text[] collate "C" not null default '{}',-- e.g. out_of_order, body_changed
    evidence_pack int,                             -- null while the exact bytes wait in webhook_pending
    evidence_offset int,
    evidence_length int,
    body_digest bytea not null,                    -- SHA-256 of the exact bytes
    kept_digest bytea not null,                    -- SHA-256 of the kept bytes
    primary key (account_id, source_id, event_key)
);
create index webhook_event_by_transaction on tieout.webhook_event
    (account_id, source_id, transaction_id)
    include (event_time, state_rank, state, money, verdict, raw_status);
create index webhook_event_by_time on tieout.webhook_event (account_id, source_id, last_received_at)
    include (first_received_at);

-- One row: one delivery. The same delivery met again in another file is the same row.
create table tieout.webhook_delivery (
    account_id bigint not null,
    source_id text collate "C" not null,
    event_key text collate "C" not null,
    received_at timestamptz not null,
    delivery_digest bytea not null,                -- 16 bytes of SHA-256 over received_at, URL, signature headers, body
    run_id bigint not null,
    observed_at timestamptz not null,
    verdict text collate "C" not null,
    key_fingerprint text collate "C",
    applied boolean not null,                      -- false: a duplicate, or older than what was known
    out_of_order boolean not null,                 -- its event time is older than one already received for the object
    retry_count int,
    url text,
    signature_headers jsonb not null default '{}', -- only those a signature needs
    body_digest bytea not null,
    kept_digest bytea not null,
    evidence_pack int,
    evidence_offset int,
    evidence_length int,
    file_digest bytea not null,
    line_no bigint not null,
    primary key (account_id, source_id, event_key, received_at, delivery_digest)
) partition by range (received_at);

-- One row: the exact bytes of an event that is not valid yet, kept until it is, at most 30 days.
create table tieout.webhook_pending (
    account_id bigint not null,
    source_id text collate "C" not null,
    event_key text collate "C" not null,
    received_at timestamptz not null,
    body_digest bytea not null,
    delivery jsonb not null,                       -- url and the headers a signature needs
    body bytea not null,
    expires_at timestamptz not null,
    primary key (account_id, source_id, event_key, body_digest)
);

-- One row: one file that was loaded whole, by digest.
create table tieout.loaded_file (
    account_id bigint not null,
    feed text collate "C" not null,                -- webhook | book | settlement | bank
    digest bytea not null,                         -- SHA-256 of the file's bytes as they lay on disk
    name text not null,                            -- base name only
    run_id bigint not null,
    observed_at timestamptz not null,
    records bigint not null,
    quarantined bigint not null,
    covers_from timestamptz,
    covers_until timestamptz,
    primary key (account_id, feed, digest)
);

-- One row: what could not be taken in. The id is derived from what it is, so the same bad record met again is not new.
create table tieout.quarantine (
    account_id bigint not null,
    source_id text collate "C" not null,
    feed text collate "C" not null,
    quarantine_id text collate "C" not null,       -- Q and 12 hex digits of SHA-256 over source, feed, record digest
    run_id bigint not null,                        -- that met it first
    last_run_id bigint not null,
    observed_at timestamptz not null,
    reason text not null,                          -- e.g. type_changed: fee int->object
    record_id text collate "C",
    refs text[] collate "C" not null default '{}',
    place text not null,                           -- file and line, or resource and page
    raw text,                                      -- only where it parsed and was cut
    length bigint not null,
    digest bytea not null,
    state text not null default 'open' check (state in ('open', 'cleared', 'dropped')),
    state_changed_at timestamptz,
    state_changed_by text,
    primary key (account_id, source_id, feed, quarantine_id)
);

-- One row: where a feed of a source stands.
create table tieout.feed_state (
    account_id bigint not null,
    source_id text collate "C" not null,
    feed text collate "C" not null,
    covered_from timestamptz,
    watermark timestamptz,                         -- complete up to here
    last_attempt_at timestamptz,                   -- ledger time
    last_success_at timestamptz,                   -- ledger time
    failing_since timestamptz,                     -- ledger time; null: the last attempt succeeded
    failure text,                                  -- no secret, no personal data
    backfill_complete boolean not null default false,
    baseline_run_id bigint,                        -- first complete run of the source
    records bigint not null default 0,             -- current rows or events held
    late_arrivals bigint not null default 0,       -- of the last run: rows created before the watermark it started at
    counters jsonb not null default '{}',          -- of the last run: strangers, empty pages, retries, waits, …
    primary key (account_id, source_id, feed)
);

-- One row: an unfinished walk over one resource. Committed with the rows it brought; gone when the walk is complete.
create table tieout.checkpoint (
    account_id bigint not null,
    source_id text collate "C" not null,
    resource text collate "C" not null,
    walk text collate "C" not null,                -- backfill | incremental | sweep, with its window
    position jsonb not null,
    run_id bigint not null,
    updated_at timestamptz not null,
    primary key (account_id, source_id, resource, walk)
);

-- One row: paths that a run met and no mapping knows.
create table tieout.unknown_field (
    account_id bigint not null,
    source_id text collate "C" not null,
    resource text collate "C" not null,
    path text collate "C" not null,
    first_run_id bigint not null,
    first_seen_at timestamptz not null,
    rows_seen bigint not null,
    primary key (account_id, source_id, resource, path)
);
