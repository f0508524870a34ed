-- One row: where the audit trail stands now.
select c.seq, c.digest
from tieout.break_chain c
where c.account_id = {account}
