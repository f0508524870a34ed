-- One row: how many orders of the sources in a complete book file the file does not list. $1 account.
select count(*) as missing
from tieout.book_order o
where o.account_id = $1
    and o.source_id in (select r.source_id from book_row r where r.reason is null)
    and not exists (
        select 1 from book_row r where r.account_id = o.account_id and r.order_id = o.order_id
    )
