-- One row: what is stored of one record that is to be read again. $1 account, $2 source, $3 resource, $4 ids.
select
    transaction_id,
    created_at,
    customer_id,
    refs
from tieout.transaction
where account_id = $1
    and source_id = $2
    and resource = $3
    and transaction_id = any($4)
