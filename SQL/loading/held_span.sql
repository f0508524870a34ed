-- One row: how many transactions a source holds and when the first and the last were created.
select
    count(*) as records,
    min(created_at) as oldest,
    max(created_at) as newest
from tieout.transaction
where account_id = $1
    and source_id = $2
    and resource = $3
