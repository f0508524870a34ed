-- One row: one webhook event. is_evidence: its verdict counts (valid; unsigned where the source sends no signatures),
-- it is no test event, and it does not speak of another account's payment.
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
    (e.verdict = 'valid' or (e.verdict = 'unsigned' and coalesce(s.unsigned_counts, false)))
    and not e.is_test
    and f.transaction_id is null as is_evidence,
    e.customer_id,
    e.refs,
    e.flags,
    e.observed_at,
    e.run_id
from tieout.webhook_event as e
left join scope.source as s
    on s.account_id = e.account_id and s.source_id = e.source_id
left join scope.member as m
    on m.account_id = e.account_id and m.member = 'event' and m.source_id = e.source_id and m.record_id = e.event_key
left join tieout.stranger as f
    on f.account_id = e.account_id and f.source_id = e.source_id and f.transaction_id = e.transaction_id
