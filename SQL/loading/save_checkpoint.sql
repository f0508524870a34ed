-- One row: where one unfinished walk stands.
insert into tieout.checkpoint (account_id, source_id, resource, walk, position, run_id, updated_at)
values ($1, $2, $3, $4, $5, $6, $7)
on conflict (account_id, source_id, resource, walk) do update
set
    position = excluded.position,
    run_id = excluded.run_id,
    updated_at = excluded.updated_at
