-- One row: one open record in quarantine of an event of which the batch in hand brings a good and proven delivery.
-- $1 account, $2 source, $3 ledger time, $4 keys of those events.
update tieout.quarantine q set
    state = 'cleared',
    state_changed_at = $3,
    state_changed_by = 'system'
where q.account_id = $1 and q.source_id = $2 and q.feed = 'webhook' and q.state = 'open'
    and q.record_id = any($4::text[])
