-- One row put in: one text that run $2 of account $1 used.
insert into tieout.run_definition (account_id, run_id, kind, name, digest)
select $1::bigint, $2::bigint, u.kind, u.name, u.digest
from unnest($3::text[], $4::text[], $5::bytea[]) as u (kind, name, digest)
on conflict (account_id, run_id, kind, name) do update set digest = excluded.digest
