-- One row: one event of the batch in hand that the source has. $1 account, $2 source, $3 event keys.
select k.event_key
from unnest($3::text[]) as k (event_key)
cross join lateral (
    -- One look by key for each: without statistics the planner would rather compare all with all.
    select 1
    from tieout.webhook_event o
    where o.account_id = $1 and o.source_id = $2 and o.event_key = k.event_key
    offset 0
) o
