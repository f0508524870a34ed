-- One row changed: the head of account $1's trail, now its last event.
update tieout.break_chain as c
set seq = e.seq, digest = e.digest
from (
    select e.seq, e.digest
    from tieout.break_event as e
    where e.account_id = $1
    order by e.seq desc
    limit 1
) as e
where c.account_id = $1
