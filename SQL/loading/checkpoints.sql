-- One row: one unfinished walk of a source.
select
    walk,
    position
from tieout.checkpoint
where account_id = $1
    and source_id = $2
    and resource = $3
order by walk
