-- One row: how many transactions a source holds of one resource, in the transaction that adds to them.
-- $1 account, $2 source, $3 resource, $4 rows.
insert into tieout.resource_state (account_id, source_id, resource, records)
values ($1, $2, $3, $4)
on conflict (account_id, source_id, resource) do update
set
    records = excluded.records
