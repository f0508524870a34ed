-- One row: one evidence pack. $1 account, $2 source, $3 run, $4 pack.
select body
from tieout.evidence
where account_id = $1
    and source_id = $2
    and run_id = $3
    and pack_no = $4
