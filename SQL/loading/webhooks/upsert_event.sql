-- One row: one event whose best delivery is in the batch in hand. $1 account, $2 source, $3 run, $4 ledger time.
insert into tieout.webhook_event (
    account_id, source_id, event_key, run_id, observed_at, first_received_at, last_received_at, deliveries,
    max_retry, received_between, flags, verdict, key_fingerprint, kind, transaction_id, raw_status, state, state_rank, money,
    after_held, after_taken, after_delivered, direction, event_time, is_test, customer_id, refs, evidence_pack,
    evidence_offset, evidence_length, body_digest, kept_digest
)
with between_ends as (
    select v.event_key, array_agg(distinct v.received_at order by v.received_at) as moments
    from webhook_every v
    where v.received_at > v.first_received_at and v.received_at < v.last_received_at
    group by v.event_key
)

select
    $1,
    $2,
    e.event_key,
    $3,
    $4,
    e.first_received_at,
    e.last_received_at,
    e.deliveries,
    e.max_retry,
    b.moments,
    array(
        select distinct f.flag collate "C"
        from unnest(l.flags || case when e.bodies > 1 then array['body_changed'] end) as f (flag)
        order by 1
    ),
    l.verdict, l.key_fingerprint, l.kind, l.transaction_id, l.raw_status, l.state, l.state_rank, l.money,
    l.after_held, l.after_taken, l.after_delivered, l.direction, l.event_time, l.is_test, l.customer_id, l.refs,
    l.evidence_pack, l.evidence_offset, l.evidence_length, l.body_digest, l.kept_digest
from webhook_every e
join webhook_landed l on l.event_key = e.event_key and l.received_at = e.received_at
    and l.delivery_digest = e.delivery_digest
left join between_ends b on b.event_key = e.event_key
where e.is_best
on conflict (account_id, source_id, event_key) do update set
    run_id = excluded.run_id,
    observed_at = excluded.observed_at,
    first_received_at = excluded.first_received_at,
    last_received_at = excluded.last_received_at,
    deliveries = excluded.deliveries,
    max_retry = excluded.max_retry,
    received_between = excluded.received_between,
    flags = excluded.flags,
    verdict = excluded.verdict,
    key_fingerprint = excluded.key_fingerprint,
    kind = excluded.kind,
    transaction_id = excluded.transaction_id,
    raw_status = excluded.raw_status,
    state = excluded.state,
    state_rank = excluded.state_rank,
    money = excluded.money,
    after_held = excluded.after_held,
    after_taken = excluded.after_taken,
    after_delivered = excluded.after_delivered,
    direction = excluded.direction,
    event_time = excluded.event_time,
    is_test = excluded.is_test,
    customer_id = excluded.customer_id,
    refs = excluded.refs,
    evidence_pack = excluded.evidence_pack,
    evidence_offset = excluded.evidence_offset,
    evidence_length = excluded.evidence_length,
    body_digest = excluded.body_digest,
    kept_digest = excluded.kept_digest
