-- One row: one flag of $3 that a payment of the source carries now. $1 account, $2 source.
select f.flag
from unnest($3::text[]) as f (flag)
where exists (
    select 1
    from tieout.transaction as t
    where t.account_id = $1
        and t.source_id = $2
        and t.resource = 'transaction'
        -- As the index on flags has it.
        and t.flags <> '{}'
        and t.flags @> array[f.flag] collate "C"
)
