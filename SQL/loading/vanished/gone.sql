-- One row: one record of one source that its provider did not know any more when it was last asked: a payment by its id,
-- another record as resource/id. $1 account, $2 source, $3 the resources that can be asked by id.
select case v.resource when 'transaction' then '' else v.resource || '/' end || v.transaction_id as name
from tieout.vanished as v
where v.account_id = $1 and v.source_id = $2 and v.resource = any($3) and v.returned_at is null
order by v.since desc, v.resource, v.transaction_id
limit 1000
