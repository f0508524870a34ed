-- One row put in: how many records of one source there are among those that linking looked at, less those that were counted
-- there before: {known}.
insert into run_tally (name, source_id, units)
select 'records', m.source_id, sum(m.units)
from (
    select l.source_id, 1 as units
    from link_member as l
    where l.member in ('transaction', 'order')
    {known}
) as m
group by m.source_id
