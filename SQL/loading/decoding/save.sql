-- One row: by which reading one kind of a source's records is decoded.
-- $1 account, $2 source, $3 kind, $4 digest, $5 next digest, $6 position, $7 unread, $8 run, $9 ledger time.
insert into tieout.decoding (
    account_id, source_id, kind, digest, next_digest, position, unread, run_id, changed_at
)
values ($1, $2, $3, $4, $5, $6::jsonb, $7, $8, $9)
on conflict (account_id, source_id, kind) do update
set
    digest = excluded.digest,
    next_digest = excluded.next_digest,
    position = excluded.position,
    unread = excluded.unread,
    run_id = excluded.run_id,
    changed_at = excluded.changed_at
