-- One row: one thing that was done about one quarantined record, oldest first. $1 account, $2 id.
select
    e.event,
    e.at,
    e.actor,
    e.run_id,
    e.reason
from tieout.quarantine_event e
where e.account_id = $1 and e.quarantine_id = $2
order by e.seq
