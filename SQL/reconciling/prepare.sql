-- The working tables of one evaluation, gone at commit.

-- One row: the events of one source that one run learnt and that are no evidence, and of how many.
create temporary table run_unverified (
    source_id text collate "C" not null,
    run_id bigint not null,
    since timestamptz not null,
    events bigint not null,
    refused bigint not null,
    is_flood boolean not null                      -- too many for single mistakes
) on commit drop;

-- One row: one transaction whose event may have come, but nobody can prove it.
create temporary table run_unproven (
    source_id text collate "C" not null,
    transaction_id text collate "C" not null
) on commit drop;

-- One row: where one feed of one source stands for this run.
create temporary table run_feed (
    source_id text collate "C" not null,
    feed text collate "C" not null,
    covered_from timestamptz,
    watermark timestamptz,
    max_age interval not null,
    failing_since timestamptz,
    failure text,
    last_success_at timestamptz,
    answered_at timestamptz,
    is_old boolean not null,                       -- its data end earlier than they may
    is_fresh boolean not null,                     -- its silence proves something
    is_whole boolean not null,                     -- and nothing is missing from it
    reason text                                    -- why it is not fresh
) on commit drop;

-- One row: how far one rule can judge one source.
create temporary table run_rule_source (
    rule text collate "C" not null,
    source_id text collate "C" not null,
    is_applicable boolean not null,
    is_fresh boolean not null,
    is_whole boolean not null,
    provider_from timestamptz,                     -- from when on each feed it needs covers everything
    book_from timestamptz,
    others_from timestamptz,
    watermark timestamptz,
    reason text
) on commit drop;

-- One row: one payment that a record in quarantine belongs to.
create temporary table run_quarantined (
    payment_id bigint not null,
    feed text collate "C" not null
) on commit drop;

-- One row: when one payment's next step is due: delivery to the customer, or settlement to the merchant.
create temporary table run_due (
    account_id bigint not null,
    source_id text collate "C" not null,
    resource text collate "C" not null,
    transaction_id text collate "C" not null,
    taken_at timestamptz not null,
    due_at timestamptz not null,
    twice_at timestamptz not null,                 -- twice the term
    term text not null                             -- the term in words
) on commit drop;

-- One row: one finding as its rule returned it.
create temporary table run_finding (
    rule text collate "C" not null,
    rank int not null,
    source_id text collate "C",
    payment_id bigint,
    subject text collate "C" not null,
    severity text collate "C" not null,
    difference numeric,
    at_risk numeric not null,
    currency text collate "C",
    due_at timestamptz,
    facts jsonb not null
) on commit drop;
