-- One row: one quarantined record that a person gave up. $1 account, $2 id, $3 actor, $4 ledger time.
update tieout.quarantine set
    state = 'dropped',
    state_changed_at = $4,
    state_changed_by = $3
where account_id = $1 and quarantine_id = $2 and state = 'open'
