-- One row: one payment of one source that its provider did not know any more when it was last asked. $1 account, $2 source.
select v.transaction_id
from tieout.vanished as v
where v.account_id = $1 and v.source_id = $2 and v.resource = 'transaction' and v.returned_at is null
order by v.since desc, v.transaction_id
limit 1000
