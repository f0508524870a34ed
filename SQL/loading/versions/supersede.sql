-- One row: the version that a row of the file in hand replaces. $1 account, $2 ledger time.
with gone as (
    delete from tieout.{table} o
    using {rows} r, {fates} f
    where f.fate = 'changed' and r.line_no = f.line_no and o.account_id = $1 and {match}
    returning o.*
)

insert into tieout.{table}_history ({columns}, superseded_at)
select {row_columns}, $2
from gone r
on conflict do nothing
