-- One row: one file that was loaded whole. $1 account, $2 feed, $3 digest, $4 name, $5 run, $6 ledger time, $7 records,
-- $8 quarantined, $9 and $10 the times it covers, $11 when it was written (null: nobody said), $12 its source, '' where
-- its rows name theirs, $13 which version of the file of that name.
insert into tieout.loaded_file (
    account_id, feed, digest, name, run_id, observed_at, records, quarantined, covers_from, covers_until, exported_at,
    source_id, version
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
on conflict (account_id, feed, digest, source_id) do update set
    exported_at = greatest(loaded_file.exported_at, excluded.exported_at)
