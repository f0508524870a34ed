-- One row: one quarantined record that the file in hand holds in a readable version. $1 account, $2 source, $3 ledger time.
update tieout.quarantine q set
    state = 'cleared',
    state_changed_at = $3,
    state_changed_by = 'system'
where q.account_id = $1 and q.source_id = $2 and q.feed = 'settlement' and q.state = 'open' and q.record_id is not null
    and (
        exists (select 1 from settlement_line_row r where r.line_id = q.record_id and r.reason is null)
        or exists (select 1 from payout_row r where 'payout/' || r.payout_id = q.record_id and r.reason is null)
    )
