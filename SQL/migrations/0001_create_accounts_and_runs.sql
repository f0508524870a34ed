-- Who is reconciled, by which runs, under which lock, and with which texts of rules and parameters.
-- Every tenant table carries account_id first in its primary key (the distribution key of a clustered database).

create schema if not exists tieout;
-- Live views for people in psql; rules name them too, the runner puts its own definitions in their place.
create schema if not exists scope;

-- One row: one reconciliation scope, the legal entity that owns the payouts.
create table tieout.account (
    account_id bigint not null,
    name text collate "C" not null,
    zone text not null default 'UTC',              -- IANA name; business days are counted in it
    cut_off interval not null default '0',         -- a business day starts this long after local midnight
    last_ledger_time timestamptz,                  -- strictly increasing: no run may lie before it
    primary key (account_id)
);

-- One row: one provider account in one environment.
create table tieout.source (
    account_id bigint not null references tieout.account,
    source_id text collate "C" not null,           -- the name in the configuration, e.g. meld-live
    provider text collate "C" not null,            -- catalogue name, e.g. meld
    environment text collate "C" not null,         -- live | sandbox
    life text not null default 'active' check (life in ('active', 'draining', 'retired')),
    succeeds text collate "C",                     -- the source whose identity space this one continues
    beneath text collate "C",                      -- the aggregator source that shows the same payments
    settles_to text not null default 'customer' check (settles_to in ('customer', 'merchant')),
    declaration jsonb not null default '{}',       -- what the provider declares as data, after overrides
    primary key (account_id, source_id)
);

-- One row: one execution of a job for one account. run_id counts up per account.
create table tieout.run (
    account_id bigint not null,
    run_id bigint not null,
    job text collate "C" not null,
    ledger_time timestamptz not null,              -- ledger time at its start
    as_of timestamptz,                             -- knowledge cut, after its last load committed
    period_from timestamptz,
    period_to timestamptz,
    state text not null default 'running'
        check (state in ('running', 'done', 'incomplete', 'failed', 'interrupted')),
    exit_status int,
    conditions text[] not null default '{}',       -- every exit condition that applied
    started_at timestamptz not null,               -- machine time, for people only
    finished_at timestamptz,
    host text,
    summary jsonb not null default '{}',
    primary key (account_id, run_id)
);

-- One row: the right to load and reconcile for one account (lease with a fencing number).
create table tieout.job_lock (
    account_id bigint not null,
    fence bigint not null,
    holder jsonb not null,
    expires_at timestamptz not null,
    primary key (account_id),
    unique (account_id, fence)
);

-- One row: one text that decided something (a rule, a parameter set, terms, a calendar, a status map), by content.
create table tieout.definition (
    digest bytea not null primary key,             -- SHA-256 of body
    kind text collate "C" not null,                -- rule | view | link | terms | params | calendar | status_map | state_matrix
    name text collate "C" not null,
    body text not null
);

-- One row: one definition that one run used.
create table tieout.run_definition (
    account_id bigint not null,
    run_id bigint not null,
    kind text collate "C" not null,
    name text collate "C" not null,
    digest bytea not null references tieout.definition,
    primary key (account_id, run_id, kind, name)
);

-- Reference tables, loaded from SQL/reference/*.csv by `tieout db migrate`; no account_id, small.

-- One row: one ISO 4217 currency and the number of digits behind its point.
create table tieout.currency (
    code text collate "C" not null primary key,
    exponent smallint not null check (exponent between 0 and 18),
    name text not null
);

-- One row: a provider whose exponent for a currency differs from ISO 4217, or that uses a code outside it.
create table tieout.currency_exception (
    provider text collate "C" not null,
    code text collate "C" not null,
    exponent smallint not null check (exponent between 0 and 36),
    why text not null,
    primary key (provider, code)
);

-- One row: what agreement or difference one combination of book status, money and state means.
create table tieout.state_matrix (
    book_status text collate "C" not null,
    money text collate "C" not null,
    state text collate "C" not null,
    verdict text collate "C" not null,             -- agree | awaiting | a rule's id
    why text not null,
    primary key (book_status, money, state)
);

-- One row: one bank holiday of one calendar.
create table tieout.holiday (
    calendar text collate "C" not null,
    day date not null,
    name text not null,
    primary key (calendar, day)
);
