-- One row put in: how many abandoned orders of one source there are in what this run looked at, less those that were counted
-- there before: {known}.
insert into run_tally (name, source_id, units)
select 'abandoned', u.source_id, sum(u.units)
from (
    select p.source_id, p.units
    from run_part as p
    where p.pair = 'abandoned' and p.class = 'abandoned'
    {known}
) as u
group by u.source_id
