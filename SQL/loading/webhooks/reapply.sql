-- One row: one stored delivery that is the applied one of its event no longer, or has become it. $1 account, $2 source.
update tieout.webhook_delivery d set
    applied = e.is_candidate and e.is_evidence and not d.out_of_order
from webhook_every e
where not e.is_landed
    and d.account_id = $1 and d.source_id = $2 and d.event_key = e.event_key and d.received_at = e.received_at
    and d.delivery_digest = e.delivery_digest
    and d.applied <> (e.is_candidate and e.is_evidence and not d.out_of_order)
    -- Said twice so that the key's index is asked for the batch's span alone: the planner took all deliveries there are to
    -- find some hundred, for each batch anew.
    and d.received_at >= (select min(v.received_at) from webhook_every v where not v.is_landed)
    and d.received_at <= (select max(v.received_at) from webhook_every v where not v.is_landed)
