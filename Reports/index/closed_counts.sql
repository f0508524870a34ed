-- One row: how many breaks were closed since the previous report, by how.
select
    count(*) filter (where c.how = 'healed') as healed,
    count(*) filter (where c.how = 'resolved') as resolved,
    count(*) filter (where c.how = 'written_off') as written_off,
    count(*) as closed
from {closed} c
