-- One row put in: one transaction whose record came into scope in round $2. $1 account.
insert into near_transaction
select t.*
from scope_record as r
inner join tieout.transaction as t
    on t.account_id = $1
    and t.source_id = r.source_id
    and t.resource = 'transaction'
    and t.transaction_id = r.record_id
where r.member = 'transaction' and r.round = $2
union all
select t.*
from scope_record as r
inner join tieout.transaction as t
    on t.account_id = $1
    and t.source_id = r.source_id
    and t.resource = split_part(r.record_id, '/', 1)
    and t.transaction_id = substr(r.record_id, strpos(r.record_id, '/') + 1)
where r.member = 'transaction' and r.round = $2 and strpos(r.record_id, '/') > 0 and t.resource <> 'transaction'
