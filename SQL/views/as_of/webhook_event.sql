-- One row: one webhook event. is_evidence: its verdict counts (valid; unsigned where the source sends no signatures)
-- and it is no test event.
-- As of $2: the versions current then.
select
    e.account_id,
    e.source_id,
    e.event_key,
    m.payment_id,
    e.kind,
    e.transaction_id,
    e.raw_status,
    e.state,
    e.state_rank,
    e.money,
    e.direction,
    e.event_time,
    e.first_received_at,
    e.last_received_at,
    e.deliveries,
    e.verdict,
    e.is_test,
    (e.verdict = 'valid' or (e.verdict = 'unsigned' and coalesce(s.unsigned_counts, false))) and not e.is_test
        as is_evidence,
    e.customer_id,
    e.refs,
    e.flags,
    e.observed_at,
    e.run_id
from (
    select
        x.account_id,
        x.source_id,
        x.event_key,
        x.kind,
        x.transaction_id,
        x.raw_status,
        x.state,
        x.state_rank,
        x.money,
        x.direction,
        x.event_time,
        x.first_received_at,
        x.last_received_at,
        x.deliveries,
        x.verdict,
        x.is_test,
        x.customer_id,
        x.refs,
        x.flags,
        x.observed_at,
        x.run_id
    from tieout.webhook_event as x
    where x.observed_at <= $2
    union all
    select
        x.account_id,
        x.source_id,
        x.event_key,
        x.kind,
        x.transaction_id,
        x.raw_status,
        x.state,
        x.state_rank,
        x.money,
        x.direction,
        x.event_time,
        x.first_received_at,
        x.last_received_at,
        x.deliveries,
        x.verdict,
        x.is_test,
        x.customer_id,
        x.refs,
        x.flags,
        x.observed_at,
        x.run_id
    from tieout.webhook_event_history as x
    where x.observed_at <= $2 and x.superseded_at > $2
) as e
left join scope.source as s
    on s.account_id = e.account_id and s.source_id = e.source_id
left join scope.member as m
    on m.account_id = e.account_id and m.member = 'event' and m.source_id = e.source_id and m.record_id = e.event_key
