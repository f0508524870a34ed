-- One row: one event that has more deliveries than before and stays what it was. $1 account, $2 source,
-- $3 ledger time.
with between_ends as (
    select v.event_key, array_agg(distinct v.received_at order by v.received_at) as moments
    from webhook_every v
    where v.received_at > v.first_received_at and v.received_at < v.last_received_at
    group by v.event_key
)

update tieout.webhook_event o set
    first_received_at = e.first_received_at,
    last_received_at = e.last_received_at,
    deliveries = e.deliveries,
    max_retry = e.max_retry,
    received_between = b.moments,
    recounted_at = $3,
    flags = case
        when e.bodies > 1 and not o.flags @> array['body_changed'] collate "C"
            then array(select f.flag collate "C" from unnest(o.flags || 'body_changed'::text) as f (flag) order by 1)
        else o.flags
    end
from webhook_every e
left join between_ends b on b.event_key = e.event_key
where e.is_best
    and o.account_id = $1 and o.source_id = $2 and o.event_key = e.event_key
    and not exists (
        select 1
        from webhook_landed l
        where l.event_key = e.event_key and l.received_at = e.received_at and l.delivery_digest = e.delivery_digest
    )
