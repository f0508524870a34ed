-- One row: the kept text of one quarantined record. $1 account, $2 ids.
select
    q.quarantine_id,
    q.raw
from tieout.quarantine q
where q.account_id = $1 and q.quarantine_id = any($2) and q.raw is not null
