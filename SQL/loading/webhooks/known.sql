-- One row: one delivery of the batch in hand that is known, by its place in the batch, and whether
-- it was no evidence when it was stored and is now.
-- $1 account, $2 source, $3 event keys, $4 arrival times, $5 delivery digests, $6 whether each is evidence now.
select
    b.place,
    b.is_evidence = 1 and d.evidence_pack is null as is_worse
from unnest($3::text[], $4::timestamptz[], $5::bytea[], $6::bigint[]) with ordinality
    as b (event_key, received_at, delivery_digest, is_evidence, place)
cross join lateral (
    select o.evidence_pack
    from tieout.webhook_delivery o
    where o.account_id = $1 and o.source_id = $2 and o.event_key = b.event_key
        and o.received_at = b.received_at and o.delivery_digest = b.delivery_digest
    limit 1
) d
