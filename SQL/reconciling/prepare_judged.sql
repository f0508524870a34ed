-- The working tables of what follows from the findings, gone at commit.

-- One row: one finding, judged.
create temporary table run_judged (
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
    event_at timestamptz,
    order_id text collate "C",
    transaction_id text collate "C",
    direction text collate "C",
    segment text collate "C",
    facts jsonb not null,
    facts_digest bytea not null,
    class text not null,
    is_not_due boolean not null,                   -- awaiting because its time has not come
    is_baseline boolean not null
) on commit drop;

-- One row: one break as it stands after this run, before it is known what that changes.
create temporary table run_stand (
    rule text collate "C" not null,
    rank int not null,
    subject text collate "C" not null,
    break_id text collate "C" not null,
    step text not null,                            -- open | keep | reopen | heal | carry | hold
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
    primary_break_id text collate "C",
    is_baseline boolean not null,
    incomplete_since timestamptz,
    owner text,
    facts jsonb not null,
    facts_digest bytea not null
) on commit drop;

-- One row: one payment in one pair of sides, direction and currency, in exactly one class.
create temporary table run_unit (
    pair text collate "C" not null,
    source_id text collate "C" not null,
    business_day date not null,
    direction text collate "C" not null,
    currency text collate "C" not null,            -- '' where the pair counts only, or nothing says which
    bucket text collate "C" not null,
    a_count bigint not null,
    a numeric,
    b_count bigint not null,
    b numeric,
    class text collate "C" not null,
    broken numeric not null,                       -- signed difference that its breaks carry
    rest_class text collate "C" not null           -- where the rest of a − b belongs
) on commit drop;

-- One row: one control total as this run computes it.
create temporary table run_total (
    pair text collate "C" not null,
    source_id text collate "C" not null,
    business_day date not null,
    direction text collate "C" not null,
    currency text collate "C" not null,
    bucket text collate "C" not null,
    a_count bigint not null,
    a_sum numeric,
    b_count bigint not null,
    b_sum numeric,
    classes jsonb,
    unexplained_count bigint not null,
    unexplained_sum numeric,
    units bigint not null
) on commit drop;
