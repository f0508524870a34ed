-- One row: how far one query on the merchant's database was read. $1 account, $2 feed, $3 digest, $4 name, $5 position,
-- $6 sources whose rows came, $7 run, $8 ledger time of the snapshot.
insert into tieout.query_position (account_id, feed, digest, name, position, sources, run_id, observed_at)
values ($1, $2, $3, $4, $5, $6, $7, $8)
on conflict (account_id, feed, digest) do update set
    name = excluded.name,
    position = coalesce(excluded.position, query_position.position),
    sources = array(
        select distinct s.source collate "C"
        from unnest(query_position.sources || excluded.sources) as s (source)
        order by 1
    ),
    run_id = excluded.run_id,
    observed_at = excluded.observed_at
