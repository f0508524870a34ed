-- One row: one delivery that waits, byte for byte, for the key that proves it. $1 account, $2 source.
select
    p.received_at,
    p.delivery::text as delivery,
    p.body,
    ''::bytea as file_digest,
    0::bigint as line_no
from tieout.webhook_pending p
where p.account_id = $1 and p.source_id = $2
order by p.event_key, p.body_digest
