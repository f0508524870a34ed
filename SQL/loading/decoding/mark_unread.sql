-- One row: one current transaction whose bytes are gone: whatever comes of it next is news. $1 account, $2 source,
-- $3 resource, $4 ids.
update tieout.transaction
set raw_hash = ''::bytea
where account_id = $1
    and source_id = $2
    and resource = $3
    and transaction_id = any($4)
    and raw_hash <> ''::bytea
