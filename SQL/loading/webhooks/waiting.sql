-- One row: one delivery that waits, byte for byte, for the key that proves it. $1 account, $2 source, $3 and $4 the event
-- key and body digest behind which to go on, $5 rows at most.
select
    p.event_key,
    p.body_digest,
    p.received_at,
    p.delivery::text as delivery,
    p.body
from tieout.webhook_pending p
where p.account_id = $1 and p.source_id = $2 and (p.event_key, p.body_digest) > ($3 collate "C", $4)
order by p.event_key, p.body_digest
limit $5
