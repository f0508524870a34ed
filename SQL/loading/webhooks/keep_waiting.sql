-- One row: the exact bytes of one body of an event that is no evidence yet, by its newest delivery.
-- $1 account, $2 source, $3 when they are cut, $4 whether unsigned deliveries are evidence.
insert into tieout.webhook_pending (
    account_id, source_id, event_key, received_at, body_digest, delivery, body, expires_at
)
select distinct on (w.event_key, w.body_digest)
    $1,
    $2,
    w.event_key,
    w.received_at,
    w.body_digest,
    w.delivery::jsonb,
    w.body,
    $3
from webhook_waiting w
join tieout.webhook_event e on e.account_id = $1 and e.source_id = $2 and e.event_key = w.event_key
where e.verdict <> 'valid' and not (e.verdict = 'unsigned' and $4)
order by w.event_key, w.body_digest, w.received_at desc, w.delivery desc
on conflict (account_id, source_id, event_key, body_digest) do update set
    received_at = excluded.received_at,
    delivery = excluded.delivery
where excluded.received_at > webhook_pending.received_at
