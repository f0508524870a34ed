-- One row: one webhook event that is no evidence, with what became of all events that the same run learnt of its source:
-- run_refused of run_events are none either; is_flood: too many for single mistakes.
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
    u.is_flood
from tieout.webhook_event as e
inner join tieout.source as s
    on s.account_id = e.account_id and s.source_id = e.source_id
inner join run_unverified as u
    on u.source_id = e.source_id and u.run_id = e.run_id
where e.verdict <> 'valid'
    and not (e.verdict = 'unsigned' and coalesce(s.declaration ->> 'signature', '') = 'none')
