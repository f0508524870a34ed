-- One row: how many transactions of a source are held that were created between $4 and $5 (each null: no bound).
-- $1 account, $2 source, $3 resource.
select count(*) as records
from tieout.transaction
where account_id = $1
    and source_id = $2
    and resource = $3
    and ($4::timestamptz is null or created_at >= $4)
    and ($5::timestamptz is null or created_at <= $5)
