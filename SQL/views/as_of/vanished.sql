-- One row: one stored transaction that its provider did not know any more as of $2.
select v.account_id, v.source_id, v.resource, v.transaction_id, v.since
from tieout.vanished as v
where v.since <= $2 and (v.returned_at is null or v.returned_at > $2)
