-- One row: one event that names no transaction of its own and is about the one stored transaction that holds a reference
-- of it, of the first of the kinds $3 that tells. $1 account, $2 source, $4 ledger time. What several transactions hold tells
-- nothing. The events of these transactions are to be put in order anew.
with loose as (
    select e.event_key, u.ref, array_position($3::text[], split_part(u.ref, '=', 1)) as place
    from tieout.webhook_event e
    cross join unnest(e.refs) as u (ref)
    where e.account_id = $1 and e.source_id = $2 and e.transaction_id is null
        and split_part(u.ref, '=', 1) = any($3)
),

held as (
    select u.ref, min(t.transaction_id) as transaction_id
    from tieout.transaction t
    cross join unnest(t.refs) as u (ref)
    where t.account_id = $1 and t.source_id = $2 and t.resource = 'transaction'
        -- Where nothing is loose, no row is read; only what is asked for is counted.
        and exists (select 1 from loose)
        and u.ref in (select l.ref from loose l)
    group by u.ref
    having count(*) = 1
),

told as (
    select distinct on (l.event_key) l.event_key, h.transaction_id
    from loose l
    join held h on h.ref = l.ref
    order by l.event_key, l.place, h.transaction_id
),

unordered as (
    insert into tieout.webhook_unordered (account_id, source_id, transaction_id)
    select distinct $1, $2, n.transaction_id
    from told n
    on conflict do nothing
)

update tieout.webhook_event e set
    transaction_id = n.transaction_id,
    recounted_at = $4
from told n
where e.account_id = $1 and e.source_id = $2 and e.event_key = n.event_key
