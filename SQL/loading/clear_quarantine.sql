-- One row: one quarantined record whose successor could be taken in.
update tieout.quarantine
set
    state = 'cleared',
    state_changed_at = $5,
    state_changed_by = 'system'
where account_id = $1
    and source_id = $2
    and feed = $3
    and record_id = any($4)
    and state = 'open'
