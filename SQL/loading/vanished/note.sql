-- One row put in: one stored transaction that its provider does not know any more, unless that is noted. $1 account, $2
-- source, $3 resources and $4 ids, one for one, $5 ledger time now, $6 run.
insert into tieout.vanished (account_id, source_id, resource, transaction_id, since, run_id)
select $1::bigint, $2::text, u.resource, u.id, $5::timestamptz, $6::bigint
from (select distinct n.resource, n.id from unnest($3::text[], $4::text[]) as n (resource, id)) as u
inner join tieout.transaction as t
    on t.account_id = $1 and t.source_id = $2 and t.resource = u.resource and t.transaction_id = u.id
where not exists (
    select 1
    from tieout.vanished as v
    where v.account_id = $1
        and v.source_id = $2
        and v.resource = u.resource
        and v.transaction_id = u.id
        and (v.returned_at is null or v.since = $5)
)
