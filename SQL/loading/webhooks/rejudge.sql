-- One row: one delivery that is no evidence before and after the keys changed, with its verdict by the keys of today; and
-- its event, where the delivery is its best one. $1 account, $2 source, $3 event keys, $4 arrival times, $5 delivery
-- digests, $6 verdicts.
with judged as (
    select j.event_key, j.received_at, j.delivery_digest, j.verdict
    from unnest($3::text[], $4::timestamptz[], $5::bytea[], $6::text[])
        as j (event_key, received_at, delivery_digest, verdict)
),

changed as (
    update tieout.webhook_delivery d set
        verdict = j.verdict
    from judged j
    where d.account_id = $1 and d.source_id = $2 and d.event_key = j.event_key and d.received_at = j.received_at
        and d.delivery_digest = j.delivery_digest
        and d.verdict <> j.verdict and d.verdict <> 'valid'
    returning d.event_key, d.received_at, d.verdict, d.body_digest
)

update tieout.webhook_event e set
    verdict = c.verdict
from changed c
where e.account_id = $1 and e.source_id = $2 and e.event_key = c.event_key
    and e.last_received_at = c.received_at and e.body_digest = c.body_digest and e.verdict <> 'valid'
