-- One row: one event of the page in hand that was fetched before, by its place in the page. $1 account, $2 source,
-- $3 event keys, $4 body digests, $5 no fetched delivery lies before this moment.
select b.place
from unnest($3::text[], $4::bytea[]) with ordinality as b (event_key, body_digest, place)
cross join lateral (
    select 1
    from tieout.webhook_delivery o
    where o.account_id = $1 and o.source_id = $2 and o.event_key = b.event_key
        and o.received_at >= $5 and o.is_fetched and o.body_digest = b.body_digest
    limit 1
) d
