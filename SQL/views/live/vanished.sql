-- One row: one stored transaction that its provider does not know any more.
select v.account_id, v.source_id, v.resource, v.transaction_id, v.since
from tieout.vanished as v
where v.returned_at is null
