-- One row: one record that the former version of the file in hand listed and this one does not, nor any other file:
-- superseded, and kept. $1 account, $2 source, $3 file name, $4 ledger time.
with gone as (
    delete from tieout.{table} o
    using tieout.settlement_listing l
    where l.account_id = $1 and l.source_id = $2 and l.file_name = $3 and l.record = '{record}'
        and o.account_id = l.account_id and o.source_id = l.source_id and o.{id} = l.record_id
        and not exists (select 1 from {rows} r where r.{id} = o.{id})
        and not exists (
            select 1
            from tieout.settlement_listing n
            where n.account_id = l.account_id and n.source_id = l.source_id and n.record = l.record
                and n.record_id = l.record_id and n.file_name <> l.file_name
        )
    returning o.*
)

insert into tieout.{table}_history ({columns}, superseded_at)
select {row_columns}, $4
from gone r
on conflict do nothing
