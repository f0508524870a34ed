-- What providers say they released, from settlement files: lines, and the payouts that bundle them. Polled lines and
-- payouts are versions in tieout.transaction; scope.settlement_line and scope.payout show both.

-- One row: the current version of one line of a settlement file. Amounts are signed from the merchant's view.
create table tieout.settlement_line (
    account_id bigint not null,
    source_id text collate "C" not null,
    line_id text collate "C" not null,             -- the file's own id, else made of what tells the line from others
    run_id bigint not null,
    observed_at timestamptz not null,
    request_started_at timestamptz not null,       -- --exported-at, else the load's ledger time
    version_time timestamptz not null,             -- the same
    state_rank smallint not null,                  -- which version of its file brought it: decides between equal times
    payout_id text collate "C",                    -- the transfer that bundles it
    kind text collate "C" not null,                -- charge | refund | … | other; unknown words are other
    type_word text collate "C" not null,           -- verbatim
    raw_status text collate "C",                   -- verbatim
    state text collate "C" not null,               -- settled | settling | cancelled | unknown
    gross numeric,
    fee numeric,
    tax numeric,
    other numeric,
    net numeric not null,
    currency text collate "C" not null,            -- of the five amounts above
    transaction_amount numeric,                    -- in the currency of the transaction
    transaction_currency text collate "C",
    fx_rate numeric,
    settled_at timestamptz,                        -- midnight UTC of the date; null: not settled yet
    happened_at timestamptz,                       -- when what it is about happened, where the file says so
    payment_method text collate "C",
    segment text collate "C",
    reference text collate "C",                    -- verbatim
    refs text[] collate "C" not null default '{}',
    flags text[] collate "C" not null default '{}',-- type_unknown, status_unknown, parts_differ, sign_turned
    file_name text not null,
    file_digest bytea not null,
    line_no bigint not null,
    content_hash bytea not null,
    primary key (account_id, source_id, line_id)
);
create index settlement_line_by_news on tieout.settlement_line (account_id, observed_at);

create table tieout.settlement_line_history (
    like tieout.settlement_line including defaults,
    superseded_at timestamptz not null,
    primary key (account_id, source_id, line_id, superseded_at, content_hash)
) partition by range (superseded_at);
create index settlement_line_history_by_news on tieout.settlement_line_history (account_id, superseded_at);

-- One row: the current version of one payout as the head of a settlement file states it.
create table tieout.payout (
    account_id bigint not null,
    source_id text collate "C" not null,
    payout_id text collate "C" not null,
    run_id bigint not null,
    observed_at timestamptz not null,
    request_started_at timestamptz not null,
    version_time timestamptz not null,
    state_rank smallint not null,
    amount numeric not null,                       -- positive: paid to the merchant
    currency text collate "C" not null,
    paid_at timestamptz,                           -- midnight UTC of its date
    items bigint,                                  -- lines that it says it bundles
    gross_total numeric,
    fee_total numeric,
    refs text[] collate "C" not null default '{}',
    flags text[] collate "C" not null default '{}',-- items_differ, gross_differs, fees_differ, net_differs
    file_name text not null,
    file_digest bytea not null,
    line_no bigint not null,
    content_hash bytea not null,
    primary key (account_id, source_id, payout_id)
);

create table tieout.payout_history (
    like tieout.payout including defaults,
    superseded_at timestamptz not null,
    primary key (account_id, source_id, payout_id, superseded_at, content_hash)
) partition by range (superseded_at);

-- One row: one line or payout that a settlement file lists, by the file's newest version. What no file lists any more is
-- superseded.
create table tieout.settlement_listing (
    account_id bigint not null,
    source_id text collate "C" not null,
    record text collate "C" not null,              -- line | payout
    record_id text collate "C" not null,
    file_name text collate "C" not null,
    primary key (account_id, source_id, record, record_id, file_name)
);
create index settlement_listing_by_file on tieout.settlement_listing (account_id, source_id, file_name);

-- Settlement files belong to a source each and are corrected under their name. Files of other feeds name sources row by
-- row: '' there.
alter table tieout.loaded_file
    add column source_id text collate "C" not null default '',
    add column version int not null default 1;
alter table tieout.loaded_file drop constraint loaded_file_pkey;
alter table tieout.loaded_file add primary key (account_id, feed, digest, source_id);
