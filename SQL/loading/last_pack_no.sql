-- One row: the last evidence pack that run $3 wrote for source $2 of account $1; 0 where there is none.
select coalesce(max(pack_no), 0) as pack_no
from tieout.evidence
where account_id = $1
    and source_id = $2
    and run_id = $3
