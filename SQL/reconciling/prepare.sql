-- The working tables of one evaluation, gone at commit.

-- One row: where one feed of one source stands for this run.
create temporary table run_feed (
    source_id text collate "C" not null,
    feed text collate "C" not null,
    covered_from timestamptz,
    watermark timestamptz,
    is_fresh boolean not null,
    reason text                                    -- why it is not fresh
) on commit drop;

-- One row: how far one rule can judge one source.
create temporary table run_rule_source (
    rule text collate "C" not null,
    source_id text collate "C" not null,
    is_applicable boolean not null,
    is_fresh boolean not null,
    covered_from timestamptz,
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

-- One row: one payment in scope of a run that does not evaluate everything.
create temporary table run_scope (
    payment_id bigint not null
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
