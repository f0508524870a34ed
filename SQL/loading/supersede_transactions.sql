-- One row moves: the current version of each id $4 becomes an earlier one, superseded at $5. $1 account, $2 source,
-- $3 resource. {columns}: those of a version.
with gone as (
    delete from tieout.transaction
    where account_id = $1
        and source_id = $2
        and resource = $3
        and transaction_id = any($4)
    returning *
)
insert into tieout.transaction_history ({columns}, superseded_at)
select {columns}, $5::timestamptz
from gone
