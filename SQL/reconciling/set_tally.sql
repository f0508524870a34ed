-- One row put in or changed: one count as this run found it. $1 account, $2 whether what was found is added to what was
-- counted before.
insert into tieout.tally as t (account_id, name, source_id, units)
select $1::bigint, r.name, r.source_id, r.units + coalesce(k.units, 0)
from run_tally as r
left join tieout.tally as k
    on k.account_id = $1 and k.name = r.name and k.source_id = r.source_id and $2::boolean
on conflict (account_id, name, source_id) do update set units = excluded.units where t.units <> excluded.units
