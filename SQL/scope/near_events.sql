-- One row put in: one event whose record came into scope in round $2. $1 account.
insert into near_webhook_event
select e.*
from scope_record as r
inner join tieout.webhook_event as e
    on e.account_id = $1 and e.source_id = r.source_id and e.event_key = r.record_id
where r.member = 'event' and r.round = $2
