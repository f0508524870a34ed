-- One row put in: one membership of a record in scope, or of an event about a transaction in scope. $1 account.
insert into near_payment_member
select m.*
from run_scope as r
inner join tieout.payment_member as m
    on m.account_id = $1 and m.payment_id = r.payment_id
union
select m.*
from near_webhook_event as e
inner join tieout.payment_member as m
    on m.account_id = $1 and m.member = 'event' and m.source_id = e.source_id and m.record_id = e.event_key
