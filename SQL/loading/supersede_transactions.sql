-- One row moves: the current version of each id $4 becomes an earlier one, superseded at $5.
with gone as (
    delete from tieout.transaction
    where account_id = $1
        and source_id = $2
        and resource = $3
        and transaction_id = any($4)
    returning *
)
insert into tieout.transaction_history
select
    gone.*,
    $5::timestamptz
from gone
