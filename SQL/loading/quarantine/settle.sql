-- One row: one open record in quarantine that was taken in after all. $1 account, $2 ids, $3 ledger time.
update tieout.quarantine set
    state = 'cleared',
    state_changed_at = $3,
    state_changed_by = 'system'
where account_id = $1 and quarantine_id = any($2) and state = 'open'
