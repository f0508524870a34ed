-- One row: one current transaction created within the span $4 to $5, both included. Answered by an index alone.
select
    transaction_id,
    created_at,
    raw_hash,
    content_hash,
    version_time
from tieout.transaction
where account_id = $1
    and source_id = $2
    and resource = $3
    and created_at between $4 and $5
