-- One row removed: one count of a source of which nothing is left. $1 account, $2 the count's name, $3 whether only what this
-- run found counts.
delete from tieout.tally as t
where t.account_id = $1
    and t.name = $2
    and (
        t.units = 0
        or ($3::boolean and not exists (select 1 from run_tally as r where r.name = t.name and r.source_id = t.source_id))
    )
