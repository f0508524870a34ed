-- One row: one earlier version of one of the ids $4.
select distinct
    transaction_id,
    content_hash
from tieout.transaction_history
where account_id = $1
    and source_id = $2
    and resource = $3
    and transaction_id = any($4)
