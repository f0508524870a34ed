-- One row: one earlier version that became known at $5 already. $1 account, $2 source, $3 resource, $4 ids.
select
    transaction_id,
    content_hash
from tieout.transaction_history
where account_id = $1
    and source_id = $2
    and resource = $3
    and transaction_id = any($4)
    and superseded_at = $5
