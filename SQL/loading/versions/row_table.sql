-- One row: one record of the file in hand as a version, or with the reason why it is none.
create temp table {rows} on commit drop as
select
    null::text as reason,                          -- null: a good row
    null::bigint as record_length{more},
    o.*
from tieout.{table} o
with no data
