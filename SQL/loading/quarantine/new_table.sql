-- One row: one record of the file in hand that cannot be taken in.
create temp table quarantine_new (
    source_id text not null,                       -- '' where the record belongs to no source
    record_id text,
    refs text[] not null,
    reason text not null,
    place text not null,
    line_no bigint not null,
    length bigint not null,
    digest bytea not null
) on commit drop
