-- One row: one default term, as its file gives it.
create temporary table incoming_term (
    ordinal bigint not null,
    source_id text,
    provider text,
    method text,
    direction text check (direction in ('in', 'out')),
    currency text,
    amount bigint not null check (amount >= 0),
    unit text not null check (unit in ('minutes', 'hours', 'business_days')),
    cut_off text,
    zone text not null,
    calendars text,
    why text
) on commit drop;
