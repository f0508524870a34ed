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
    payment_id bigint not null,
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
    rest_class text collate "C" not null,          -- where the rest of a − b belongs
    is_settled boolean not null                    -- false: its class can change without news of the payment
) on commit drop;

-- One row: what one payment brings to the totals of one pair, one business day and one class; as tieout.control_unit.
create temporary table run_part (
    payment_id bigint not null,
    part int not null,
    pair text collate "C" not null,
    source_id text collate "C" not null,
    business_day date not null,
    direction text collate "C" not null,
    currency text collate "C" not null,
    bucket text collate "C" not null,
    class text collate "C" not null,
    rest_class text collate "C" not null,
    units bigint not null,
    a_count bigint not null,
    a numeric,
    b_count bigint not null,
    b numeric,
    broken numeric not null,
    is_settled boolean not null
) on commit drop;

-- One row: one business day of one pair of which something changed.
create temporary table run_day (
    pair text collate "C" not null,
    business_day date not null,
    primary key (pair, business_day)
) on commit drop;

-- One row: one count of one source, or what is to be added to it.
create temporary table run_tally (
    name text collate "C" not null,
    source_id text collate "C" not null,
    units bigint not null
) on commit drop;

-- One row: one subject that is counted or looked at again; as tieout.watch.
create temporary table run_watch (
    rule text collate "C" not null,
    subject text collate "C" not null,
    source_id text collate "C",
    payment_id bigint,
    reason text not null,
    look_again_at timestamptz not null
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
