-- One row put in: one stored record that its provider does not know any more, unless that is noted. $1 account, $2 source,
-- $3 names of records that were asked for and not found, stored or not, $4 ledger time now, $5 run. What this run has taken in
-- is known: it was shown in another way than it was asked for.
insert into tieout.vanished (account_id, source_id, resource, transaction_id, since, run_id)
select t.account_id, t.source_id, t.resource, t.transaction_id, $4::timestamptz, $5::bigint
from (
    select distinct tieout.resource_of(n.name) as resource, tieout.record_of(n.name) as id
    from unnest($3::text[]) as n (name)
) as u
inner join tieout.transaction as t
    on t.account_id = $1 and t.source_id = $2 and t.resource = u.resource and t.transaction_id = u.id
    and t.run_id <> $5
where not exists (
    select 1
    from tieout.vanished as v
    where v.account_id = $1
        and v.source_id = $2
        and v.resource = u.resource
        and v.transaction_id = u.id
        and (v.returned_at is null or v.since = $4)
)
