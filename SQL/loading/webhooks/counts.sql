-- One row: what became of the deliveries of the batch in hand.
select
    count(*) filter (where e.is_landed) as fresh,
    count(*) filter (where e.is_best and not e.is_known) as new,
    count(*) filter (
        where e.is_best and e.is_known and exists (
            select 1
            from webhook_landed l
            where l.event_key = e.event_key and l.received_at = e.received_at and l.delivery_digest = e.delivery_digest
        )
    ) as changed
from webhook_every e
