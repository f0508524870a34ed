-- One row: one quarantined record whose order the file in hand holds in a readable version. $1 account, $2 ledger time.
update tieout.quarantine q set
    state = 'cleared',
    state_changed_at = $2,
    state_changed_by = 'system'
from book_row r
where q.account_id = $1 and q.feed = 'book' and q.state = 'open' and q.record_id is not null
    and r.account_id = q.account_id and r.order_id = q.record_id and r.reason is null
