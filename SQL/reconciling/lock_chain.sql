-- One row: the head of account $1's audit trail, locked: every writer waits here.
select c.seq, c.digest
from tieout.break_chain as c
where c.account_id = $1
for update
