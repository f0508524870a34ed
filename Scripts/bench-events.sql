-- One row: one captured delivery with the typed columns that a plain loader would have, and its body as text. The columns
-- are cut out of the text: a body that is no JSON is a delivery too.
select
    row_number() over () as number,
    (l.line::jsonb ->> 'receivedAt')::timestamptz as received_at,
    l.line::jsonb ->> 'url' as url,
    substring(b.body from '"eventId": ?"([^"]*)"') as event_id,
    substring(b.body from '"eventType": ?"([^"]*)"') as kind,
    substring(b.body from '"paymentTransactionId": ?"([^"]*)"') as transaction_id,
    substring(b.body from '"paymentTransactionStatus": ?"([^"]*)"') as status,
    substring(b.body from '"timestamp": ?"(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*Z)"')::timestamptz as event_time,
    b.body
from bench.line as l
cross join lateral (
    select coalesce(l.line::jsonb ->> 'rawBody', l.line::jsonb ->> 'rawBodyBase64') as body
) as b
