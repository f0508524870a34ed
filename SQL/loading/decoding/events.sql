-- One row: one webhook event whose bytes are kept, in their order, with what its best delivery was sent with; those that
-- wait for a key come first, with their body. Which delivery is the best is said in loading/webhooks/every.sql.
-- $1 account, $2 source; behind run $3, pack $4, offset $5, key $6.
select
    e.event_key,
    coalesce(e.run_id, 0) as run_id,
    coalesce(e.evidence_pack, 0) as pack,
    coalesce(e.evidence_offset, 0) as place,
    coalesce(e.evidence_length, 0) as length,
    p.body,
    e.body_digest,
    d.received_at,
    d.url,
    d.signature_headers,
    e.kind,
    e.transaction_id,
    e.raw_status,
    e.state,
    e.state_rank,
    e.money,
    e.after_held,
    e.after_taken,
    e.after_delivered,
    e.direction,
    e.event_time,
    e.is_test,
    e.customer_id,
    e.refs,
    e.flags
from tieout.webhook_event as e
left join tieout.webhook_pending as p
    on p.account_id = e.account_id and p.source_id = e.source_id and p.event_key = e.event_key
    and p.body_digest = e.body_digest and e.evidence_pack is null
left join lateral (
    select o.received_at, o.url, o.signature_headers::text as signature_headers
    from (
        select distinct u.moment
        from unnest(array[e.first_received_at, e.last_received_at] || e.received_between) as u (moment)
    ) m
    join tieout.webhook_delivery as o
        on o.account_id = e.account_id and o.source_id = e.source_id and o.received_at = m.moment
        and o.event_key = e.event_key
    where o.body_digest = e.body_digest
    order by o.verdict <> e.verdict, o.is_fetched, o.received_at desc, o.delivery_digest desc
    limit 1
) as d on true
where e.account_id = $1
    and e.source_id = $2
    and (e.evidence_pack is not null or p.body is not null)
    and (coalesce(e.run_id, 0), coalesce(e.evidence_pack, 0), coalesce(e.evidence_offset, 0), e.event_key)
        > ($3::bigint, $4::int, $5::int, $6 collate "C")
order by 2, 3, 4, e.event_key
