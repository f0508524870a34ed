-- One row: one stored transaction whose state can still change, created outside the span $4 to $5 that was just walked.
-- Rows without money in them that are older than $6 are dormant: the deep sweep alone reads them.
select transaction_id
from tieout.transaction
where account_id = $1
    and source_id = $2
    and resource = $3
    and not is_final
    and (created_at < $4 or created_at > $5)
    and (
        created_at >= $6
        or money <> 'none'
        or coalesce(after_held, 'none') <> 'none'
        or coalesce(after_taken, 'none') <> 'none'
        or coalesce(after_delivered, 'none') <> 'none'
    )
order by created_at, transaction_id
