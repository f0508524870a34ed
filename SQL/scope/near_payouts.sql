-- One row put in: one payout that names a polled line in scope. $1 account.
insert into near_transaction
select p.*
from near_transaction as l
inner join tieout.source as s
    on s.account_id = $1 and s.source_id = l.source_id
inner join tieout.transaction as p
    on p.account_id = $1
    and p.source_id = l.source_id
    and p.resource = 'payout'
    and p.refs @> array[s.provider || ':line=' || normalize(l.transaction_id, nfc)]
where l.resource = 'settlement_line'
on conflict do nothing
