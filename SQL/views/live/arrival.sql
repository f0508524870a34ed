-- One row: when one transaction was created, of every payment, in scope or not.
select t.account_id, t.source_id, t.resource, t.created_at
from tieout.transaction as t
