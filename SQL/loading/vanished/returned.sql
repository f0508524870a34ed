-- One row changed: one record that its provider knows again: it was asked for, and is not among what is missing. $1 account,
-- $2 source, $3 names of what is missing still, $4 ledger time now, $5 the names asked for.
update tieout.vanished as v
set returned_at = $4::timestamptz
from unnest($5::text[]) as a (name)
where v.account_id = $1
    and v.source_id = $2
    and v.resource = tieout.resource_of(a.name)
    and v.transaction_id = tieout.record_of(a.name)
    and v.returned_at is null
    and v.since < $4
    and a.name <> all ($3::text[])
