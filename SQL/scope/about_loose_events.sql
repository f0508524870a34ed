-- One row put in: the payment of the transaction that one event in scope names, whether or not it belongs to it. $1 account.
insert into run_scope (payment_id)
select m.payment_id
from scope_record as r
inner join tieout.webhook_event as e
    on e.account_id = $1 and e.source_id = r.source_id and e.event_key = r.record_id
inner join tieout.payment_member as m
    on m.account_id = $1 and m.member = 'transaction' and m.source_id = e.source_id and m.record_id = e.transaction_id
where r.member = 'event'
on conflict do nothing
