-- One row: one record of the book file in hand as a version of an order, or with the reason why it is none.
create temp table book_row on commit drop as
select
    null::text as reason,                          -- null: a good row
    null::bigint as record_length,
    o.*
from tieout.book_order o
with no data
