-- One row put in: one event about a transaction in scope, whether or not it belongs to a payment. $1 account.
insert into near_webhook_event
select e.*
from near_transaction as t
inner join tieout.webhook_event as e
    on e.account_id = $1 and e.source_id = t.source_id and e.transaction_id = t.transaction_id
where t.resource = 'transaction'
on conflict do nothing
