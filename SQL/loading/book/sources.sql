-- One row: one source that the book in hand has good rows of.
select distinct r.source_id
from book_row r
where r.reason is null
order by r.source_id
