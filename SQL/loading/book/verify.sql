-- One row: how many current orders really carry a row of the book file in hand. $1 account.
select count(*) as held
from tieout.book_order o
join book_row r on r.account_id = o.account_id and r.order_id = o.order_id and r.line_no = o.line_no
    and r.content_hash = o.content_hash and r.file_digest = o.file_digest and r.run_id = o.run_id
join book_fate f on f.line_no = r.line_no
where o.account_id = $1 and f.fate in ('new', 'changed')
