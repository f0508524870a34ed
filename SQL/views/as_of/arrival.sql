-- One row: when one transaction was created, of every payment, in scope or not.
-- As of $2: the versions current then.
select t.account_id, t.source_id, t.resource, t.created_at
from tieout.transaction as t
where t.observed_at <= $2
union all
select h.account_id, h.source_id, h.resource, h.created_at
from tieout.transaction_history as h
where h.observed_at <= $2 and h.superseded_at > $2
