-- One row: one path that no mapping knows, with how many of the rows taken in had it.
insert into tieout.unknown_field (account_id, source_id, resource, path, first_run_id, first_seen_at, rows_seen)
select $1, $2, $3, seen.path, $4, $5, seen.rows_seen
from unnest($6::text[], $7::bigint[]) as seen (path, rows_seen)
on conflict (account_id, source_id, resource, path) do update
set rows_seen = unknown_field.rows_seen + excluded.rows_seen
