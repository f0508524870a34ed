-- One row: one event of an unordered transaction that came after a younger one, or is cleared of that. A delivery is out of
-- order where an event of the same transaction with a later event time had been received before it; one that was fetched
-- never is, since a list is read when we come to it.
-- $1 account, $2 source, $3 whether unsigned deliveries are evidence, $4 ledger time.
with event as (
    select
        e.event_key,
        e.transaction_id,
        e.event_time,
        e.first_received_at,
        e.last_received_at,
        e.received_between,
        e.flags,
        e.body_digest,
        e.verdict = 'valid' or (e.verdict = 'unsigned' and $3) as is_evidence
    from tieout.webhook_unordered t
    join tieout.webhook_event e on e.account_id = t.account_id and e.source_id = t.source_id
        and e.transaction_id = t.transaction_id
    where t.account_id = $1 and t.source_id = $2 and e.event_time is not null
),

behind as (
    select
        e.*,
        min(e.first_received_at) filter (where e.is_evidence) over (
            partition by e.transaction_id
            order by e.event_time
            range between interval '1 microsecond' following and unbounded following
        ) as late_after,
        bool_or(e.flags @> array['body_changed'] collate "C") over (partition by e.transaction_id) as has_edits
    from event e
),

looked as materialized (
    select b.*
    from behind b
    where b.last_received_at > b.late_after or b.flags @> array['out_of_order'] collate "C" or b.has_edits
),

delivery as materialized (
    select
        d.event_key,
        d.received_at,
        d.delivery_digest,
        l.is_evidence and not d.is_fetched and coalesce(d.received_at > l.late_after, false) as is_late,
        d.is_evidence and d.is_evidence = l.is_evidence and d.body_digest = l.body_digest
            and row_number() over (
                partition by d.event_key, d.is_evidence, d.body_digest
                order by d.received_at, d.delivery_digest
            ) = 1 as is_candidate
    from looked l
    cross join lateral (
        select distinct u.moment
        from unnest(array[l.first_received_at, l.last_received_at] || l.received_between) as u (moment)
    ) m
    cross join lateral (
        select
            s.event_key,
            s.received_at,
            s.delivery_digest,
            s.body_digest,
            s.is_fetched,
            s.verdict = 'valid' or (s.verdict = 'unsigned' and $3) as is_evidence
        from tieout.webhook_delivery s
        where s.account_id = $1 and s.source_id = $2 and s.received_at = m.moment and s.event_key = l.event_key
        offset 0
    ) d
),

moved as (
    update tieout.webhook_delivery d set
        out_of_order = n.is_late,
        applied = n.is_candidate and not n.is_late
    from delivery n
    where d.account_id = $1 and d.source_id = $2 and d.event_key = n.event_key and d.received_at = n.received_at
        and d.delivery_digest = n.delivery_digest
        and (d.out_of_order <> n.is_late or d.applied <> (n.is_candidate and not n.is_late))
),

judged as (
    select n.event_key, bool_or(n.is_candidate and n.is_late) as is_late
    from delivery n
    group by n.event_key
)

update tieout.webhook_event e set
    recounted_at = $4,
    flags = array(
        select f.flag collate "C"
        from unnest(
            array_remove(e.flags, 'out_of_order') || case when j.is_late then array['out_of_order'] end
        ) as f (flag)
        order by 1
    )
from judged j
where e.account_id = $1 and e.source_id = $2 and e.event_key = j.event_key
    and e.flags @> array['out_of_order'] collate "C" <> j.is_late
