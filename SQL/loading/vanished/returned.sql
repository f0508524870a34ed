-- One row changed: one transaction that its provider knows again: it was asked for, and is not among what is missing. $1
-- account, $2 source, $3 resources and $4 ids of what is missing still, $5 ledger time now, $6 the ids asked for.
update tieout.vanished as v
set returned_at = $5::timestamptz
where v.account_id = $1
    and v.source_id = $2
    and v.returned_at is null
    and v.since < $5
    and v.resource = 'transaction'
    and v.transaction_id = any($6::text[])
    and not exists (
        select 1
        from unnest($3::text[], $4::text[]) as n (resource, id)
        where n.resource = v.resource and n.id = v.transaction_id
    )
