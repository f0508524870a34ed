-- One row put in: one event as it was read until now. $1 account, $2 source, $3 keys, $4 ledger time.
insert into tieout.webhook_event_history (
    account_id, source_id, event_key, run_id, observed_at, kind, transaction_id, raw_status, state, state_rank,
    money, after_held, after_taken, after_delivered, direction, event_time, first_received_at, last_received_at,
    deliveries, max_retry, verdict, key_fingerprint, is_test, customer_id, refs, flags, evidence_pack,
    evidence_offset, evidence_length, body_digest, kept_digest, received_between,
    superseded_at
)
select
    e.account_id, e.source_id, e.event_key, e.run_id, e.observed_at, e.kind, e.transaction_id, e.raw_status,
    e.state, e.state_rank, e.money, e.after_held, e.after_taken, e.after_delivered, e.direction, e.event_time,
    e.first_received_at, e.last_received_at, e.deliveries, e.max_retry, e.verdict, e.key_fingerprint, e.is_test,
    e.customer_id, e.refs, e.flags, e.evidence_pack, e.evidence_offset, e.evidence_length, e.body_digest,
    e.kept_digest, e.received_between,
    $4::timestamptz
from tieout.webhook_event as e
where e.account_id = $1
    and e.source_id = $2
    and e.event_key = any($3)
