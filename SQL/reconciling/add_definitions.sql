-- One row put in: one text that nobody stored before. $1 digests, $2 kinds, $3 names, $4 bodies.
insert into tieout.definition (digest, kind, name, body)
select distinct on (u.digest) u.digest, u.kind, u.name, u.body
from unnest($1::bytea[], $2::text[], $3::text[], $4::text[]) as u (digest, kind, name, body)
order by u.digest, u.kind, u.name
on conflict (digest) do nothing
