-- One row: one open record in quarantine of an event of which the batch in hand brings a good and proven delivery.
-- $1 account, $2 source, $3 ledger time.
update tieout.quarantine q set
    state = 'cleared',
    state_changed_at = $3,
    state_changed_by = 'system'
where q.account_id = $1 and q.source_id = $2 and q.feed = 'webhook' and q.state = 'open'
    and exists (select 1 from webhook_landed l where l.event_key = q.record_id and l.is_evidence)
