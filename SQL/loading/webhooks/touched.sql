-- One row: one transaction whose events the batch in hand touches, by its old or its new body. $1 account, $2 source.
insert into webhook_touched (transaction_id)
select l.transaction_id
from webhook_landed l
where l.transaction_id is not null
union
select e.transaction_id
from webhook_landed l
cross join lateral (
    select o.transaction_id
    from tieout.webhook_event o
    where o.account_id = $1 and o.source_id = $2 and o.event_key = l.event_key
    limit 1
) e
where e.transaction_id is not null
