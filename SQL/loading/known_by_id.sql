-- One row: one current transaction of the ids $4, with all that decides the version order.
select
    transaction_id,
    created_at,
    raw_hash,
    content_hash,
    version_time,
    state_rank,
    request_started_at
from tieout.transaction
where account_id = $1
    and source_id = $2
    and resource = $3
    and transaction_id = any($4)
