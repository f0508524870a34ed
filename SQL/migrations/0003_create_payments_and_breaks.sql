-- What belongs together, what differs, and who said what about it.

-- One row: one record's membership in a payment. payment_id is derived from the smallest (kind, source, id) of its
-- component and is never an identity.
create table tieout.payment_member (
    account_id bigint not null,
    member text collate "C" not null,              -- transaction | order | event | line
    source_id text collate "C" not null,
    record_id text collate "C" not null,           -- for a transaction of another resource: resource/id
    payment_id bigint not null,
    primary key (account_id, member, source_id, record_id)
);
create index payment_member_by_payment on tieout.payment_member (account_id, payment_id);

-- One row: how far one rule has judged, and by which text.
create table tieout.rule_state (
    account_id bigint not null,
    rule text collate "C" not null,
    digest bytea not null,
    judged_to timestamptz not null,
    primary key (account_id, rule)
);

-- One row: a subject whose verdict can change without new data, or that could not be evaluated.
create table tieout.watch (
    account_id bigint not null,
    rule text collate "C" not null,
    subject text collate "C" not null,
    payment_id bigint,
    reason text not null check (reason in ('awaiting', 'not_evaluated')),
    look_again_at timestamptz not null,
    primary key (account_id, rule, subject)
);

-- One row: the head of an account's audit trail; every writer locks it.
create table tieout.break_chain (
    account_id bigint not null,
    seq bigint not null,
    digest bytea not null,
    primary key (account_id)
);

-- One row: one thing that happened to one break, with the break as it stood afterwards. Append-only, hash-chained.
create table tieout.break_event (
    account_id bigint not null,
    seq bigint not null,
    rule text collate "C" not null,
    subject text collate "C" not null,
    break_id text collate "C" not null,
    event text collate "C" not null
        check (event in ('opened', 'changed', 'healed', 'reopened', 'acknowledged', 'resolved', 'written_off',
                         'approved', 'carried')),
    run_id bigint,                                 -- null: a person did it
    at timestamptz not null,                       -- ledger time
    actor text not null,                           -- system, or the login or operating-system user
    state_from text,
    state_to text not null check (state_to in ('open', 'acknowledged', 'resolved', 'written_off')),
    reason_digest bytea,                           -- SHA-256 of the free text, which may be erased
    severity text collate "C" not null,
    source_id text collate "C",
    payment_id bigint,
    order_id text collate "C",
    transaction_id text collate "C",
    direction text collate "C",
    segment text collate "C",
    currency text collate "C",
    difference numeric,                            -- signed
    at_risk numeric not null default 0,
    due_at timestamptz,
    event_at timestamptz,                          -- the fact's own time; age counts from due_at, else from here
    opened_at timestamptz not null,                -- start of this spell
    primary_break_id text collate "C",             -- null: this one is primary
    is_baseline boolean not null default false,
    incomplete_since timestamptz,                  -- not null: carried, its feeds do not reach far enough
    owner text,
    facts jsonb not null default '[]',             -- [{"field","a","b","a_from","b_from"}], amounts as strings
    facts_digest bytea not null,
    digest bytea not null,                         -- chain: SHA-256 over the previous digest and this row's columns
    primary key (account_id, seq)
);
create index break_event_by_break on tieout.break_event (account_id, rule, subject, seq);

-- One row: the free text behind a reason_digest. May be erased without breaking the chain.
create table tieout.break_reason (
    account_id bigint not null,
    digest bytea not null,
    body text,
    primary key (account_id, digest)
);

-- One row: the current standing of one break, that is its last break_event.
create table tieout.break (
    account_id bigint not null,
    rule text collate "C" not null,
    subject text collate "C" not null,
    break_id text collate "C" not null,            -- B and 12 hex digits of SHA-256 over account, rule, subject
    version bigint not null,                       -- seq of its last event
    state text not null,
    severity text collate "C" not null,
    source_id text collate "C",
    payment_id bigint,
    order_id text collate "C",
    transaction_id text collate "C",
    direction text collate "C",
    segment text collate "C",
    currency text collate "C",
    difference numeric,
    at_risk numeric not null,
    due_at timestamptz,
    event_at timestamptz,
    opened_at timestamptz not null,
    first_opened_at timestamptz not null,
    opened_run_id bigint not null,                 -- that opened this spell
    primary_break_id text collate "C",
    is_baseline boolean not null,
    is_reopened boolean not null default false,
    incomplete_since timestamptz,
    owner text,
    facts jsonb not null,
    facts_digest bytea not null,
    closed_facts_digest bytea,                     -- the facts a person closed; equal facts stay closed
    primary key (account_id, rule, subject)
);
create unique index break_by_id on tieout.break (account_id, break_id);

-- One row: what one rule did in one run.
create table tieout.run_rule (
    account_id bigint not null,
    run_id bigint not null,
    rule text collate "C" not null,
    source_id text collate "C" not null,           -- '' for the rule as a whole
    evaluated bigint not null,
    findings bigint not null,
    awaiting bigint not null,
    not_evaluated bigint not null,
    before_coverage bigint not null,
    not_applicable boolean not null,
    reason text,                                   -- why not evaluated or not applicable
    horizon timestamptz,
    primary key (account_id, run_id, rule, source_id)
);

-- One row: count and sum of both sides of one pair, for one source, direction, currency, business day and bucket, and
-- the classes that explain their difference.
create table tieout.control_total (
    account_id bigint not null,
    pair text collate "C" not null,                -- book-provider | provider-webhook | …
    source_id text collate "C" not null,
    business_day date not null,
    direction text collate "C" not null,
    currency text collate "C" not null,            -- '' where the pair counts only
    bucket text collate "C" not null,              -- money bucket
    run_id bigint not null,
    observed_at timestamptz not null,
    a_count bigint not null,
    a_sum numeric,
    b_count bigint not null,
    b_sum numeric,
    classes jsonb not null,                        -- {"matched":{"count","sum"},"breaks":…,"awaiting":…,…}, sums as strings
    unexplained_count bigint not null,
    unexplained_sum numeric,
    primary key (account_id, pair, source_id, business_day, direction, currency, bucket)
);

create table tieout.control_total_history (
    like tieout.control_total including defaults,
    superseded_at timestamptz not null,
    primary key (account_id, pair, source_id, business_day, direction, currency, bucket, superseded_at)
) partition by range (superseded_at);
