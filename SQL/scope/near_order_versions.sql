-- One row put in: one earlier version of an order in scope. $1 account, after the last round.
insert into near_book_order_history
select h.*
from near_book_order as o
inner join tieout.book_order_history as h
    on h.account_id = $1 and h.order_id = o.order_id
