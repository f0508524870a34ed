-- One row: one webhook event that is no evidence, with what became of all events that the same run learnt of its source:
-- run_refused of run_events are none either; is_flood: too many for single mistakes. Or one that is proven, and under whose
-- key another body came with a wrong signature or none (is_forged): verdict is that delivery's.
select
    e.account_id,
    e.source_id,
    e.event_key,
    e.kind,
    e.transaction_id,
    e.raw_status,
    e.verdict,
    e.first_received_at,
    e.run_id,
    u.since,
    u.events as run_events,
    u.refused as run_refused,
    u.is_flood,
    false as is_forged
from tieout.webhook_event as e
inner join scope.source as s
    on s.account_id = e.account_id and s.source_id = e.source_id
inner join run_unverified as u
    on u.source_id = e.source_id and u.run_id = e.run_id
where e.verdict <> 'valid'
    and not (e.verdict = 'unsigned' and s.unsigned_counts)
union all
select
    e.account_id,
    e.source_id,
    e.event_key,
    e.kind,
    e.transaction_id,
    e.raw_status,
    d.verdict,
    e.first_received_at,
    e.run_id,
    null,
    null,
    null,
    false,
    true
from tieout.webhook_event as e
inner join lateral (
    select min(o.verdict) as verdict
    -- Deliveries are found by their moments, which the event names.
    from (
        select distinct u.moment
        from unnest(array[e.first_received_at, e.last_received_at] || e.received_between) as u (moment)
    ) as m
    inner join tieout.webhook_delivery as o
        on o.account_id = e.account_id
        and o.source_id = e.source_id
        and o.received_at = m.moment
        and o.event_key = e.event_key
    left join scope.source as s
        on s.account_id = o.account_id and s.source_id = o.source_id
    where o.body_digest <> e.body_digest
        -- A retry may be stale, and of a key that nobody gave nothing is known.
        and (o.verdict = 'invalid' or (o.verdict = 'unsigned' and not coalesce(s.unsigned_counts, false)))
) as d on d.verdict is not null
where e.verdict = 'valid' and e.flags @> array['body_changed'] collate "C"
