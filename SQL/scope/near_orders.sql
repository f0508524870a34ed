-- One row put in: one order whose record came into scope in round $2; it may have moved to another source. $1 account.
insert into near_book_order
select o.*
from scope_record as r
inner join tieout.book_order as o
    on o.account_id = $1 and o.order_id = r.record_id
where r.member = 'order' and r.round = $2
on conflict do nothing
