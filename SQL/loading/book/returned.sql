-- One row: one order that was missing from a complete book and stands in the book in hand, which is no older.
-- $1 account, $2 run, $3 ledger time.
update tieout.book_absence a set
    returned_at = $3,
    returned_run_id = $2
from book_row r
where a.account_id = $1 and a.returned_at is null
    and r.order_id = a.order_id and r.request_started_at >= a.exported_at
