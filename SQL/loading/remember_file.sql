-- One row: one file that was loaded whole. $1 account, $2 feed, $3 digest, $4 name, $5 run, $6 ledger time, $7 records,
-- $8 quarantined, $9 and $10 the times it covers.
insert into tieout.loaded_file (
    account_id, feed, digest, name, run_id, observed_at, records, quarantined, covers_from, covers_until
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
on conflict (account_id, feed, digest) do nothing
