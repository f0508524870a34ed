-- One row: one delivery, landed or stored, of an event that the batch in hand touches. The best delivery is the newest
-- valid one, else the newest; a captured one before a fetched one, of which the bodies are never the same. $1 account, $2 source, $3 whether unsigned deliveries are evidence.
insert into webhook_every (
    event_key, received_at, delivery_digest, is_landed, is_known, is_evidence, was_applied, is_best, is_candidate,
    deliveries, first_received_at, last_received_at, max_retry, bodies
)
with known as materialized (
    select e.event_key, e.moments
    from (select distinct l.event_key from webhook_landed l) k
    -- One look by key for each: without statistics the planner would rather compare all with all.
    cross join lateral (
        select
            o.event_key,
            array[o.first_received_at, o.last_received_at] || o.received_between as moments
        from tieout.webhook_event o
        where o.account_id = $1 and o.source_id = $2 and o.event_key = k.event_key
        limit 1
    ) e
),

stored as materialized (
    select
        k.event_key,
        d.received_at,
        d.delivery_digest,
        d.verdict = 'valid' or (d.verdict = 'unsigned' and $3) as is_evidence,
        d.applied,
        d.body_digest,
        d.retry_count,
        d.is_fetched
    from known k
    cross join lateral (select distinct u.moment from unnest(k.moments) as u (moment)) m
    cross join lateral (
        select o.received_at, o.delivery_digest, o.verdict, o.applied, o.body_digest, o.retry_count, o.is_fetched
        from tieout.webhook_delivery o
        where o.account_id = $1 and o.source_id = $2 and o.received_at = m.moment and o.event_key = k.event_key
        offset 0
    ) d
),

every as (
    select
        l.event_key, l.received_at, l.delivery_digest, true as is_landed, l.is_evidence, false as applied, l.body_digest,
        l.retry_count, l.is_fetched
    from webhook_landed l
    where not exists (
        select 1
        from stored s
        where s.event_key = l.event_key and s.received_at = l.received_at and s.delivery_digest = l.delivery_digest
    )
    union all
    select
        s.event_key, s.received_at, s.delivery_digest, false, s.is_evidence, s.applied, s.body_digest, s.retry_count,
        s.is_fetched
    from stored s
),

placed as (
    select
        e.*,
        row_number() over best_first = 1 as is_best,
        first_value(e.body_digest) over best_first as best_body,
        first_value(e.is_evidence) over best_first as best_is_evidence,
        row_number() over (
            partition by e.event_key, e.is_evidence, e.body_digest
            order by e.received_at, e.delivery_digest
        ) = 1 as is_first_of_body,
        count(*) over of_event as deliveries,
        min(e.received_at) over of_event as first_received_at,
        max(e.received_at) over of_event as last_received_at,
        max(e.retry_count) over of_event as max_retry,
        min(e.body_digest::text) over of_way <> max(e.body_digest::text) over of_way as has_changed
    from every e
    window
        of_event as (partition by e.event_key),
        of_way as (partition by e.event_key, e.is_fetched),
        best_first as (
            partition by e.event_key
            order by e.is_evidence desc, e.is_fetched, e.received_at desc, e.delivery_digest desc
        )
)

select
    p.event_key,
    p.received_at,
    p.delivery_digest,
    p.is_landed,
    k.event_key is not null,
    p.is_evidence,
    p.applied,
    p.is_best,
    p.is_first_of_body and p.body_digest = p.best_body and p.is_evidence = p.best_is_evidence,
    p.deliveries,
    p.first_received_at,
    p.last_received_at,
    p.max_retry,
    case when bool_or(p.has_changed) over (partition by p.event_key) then 2 else 1 end
from placed p
left join known k on k.event_key = p.event_key
