-- One row: which version of a file of this name, for its source, the one in hand is, and whether another of them was
-- written later. $1 account, $2 source, $3 name, $4 digest, $5 when the file in hand was written, else ledger time.
select
    coalesce(min(f.version) filter (where f.digest = $4), 1 + count(*)) as version,
    coalesce(
        bool_or(coalesce(f.exported_at, f.observed_at) > $5::timestamptz) filter (where f.digest <> $4), false
    ) as is_older
from tieout.loaded_file f
where f.account_id = $1 and f.feed = 'settlement' and f.source_id = $2 and f.name = $3
