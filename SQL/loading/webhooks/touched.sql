-- One row: one transaction whose known events the batch in hand touches, by their old or their new bodies.
-- $1 account, $2 source.
insert into tieout.webhook_unordered (account_id, source_id, transaction_id)
select $1, $2, l.transaction_id
from webhook_landed l
where l.transaction_id is not null
union
select $1, $2, e.transaction_id
from webhook_landed l
cross join lateral (
    select o.transaction_id
    from tieout.webhook_event o
    where o.account_id = $1 and o.source_id = $2 and o.event_key = l.event_key
    limit 1
) e
where e.transaction_id is not null
on conflict do nothing
