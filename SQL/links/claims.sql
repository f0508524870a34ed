-- One row put in: one reference of one node. Kinds that a provider names are spaces per source: they are compared
-- within one identity space only; the book's own order ids and chain transactions are compared across the account.
insert into link_claim (node, member, source_id, resource, ref)
select
    n.node,
    n.member,
    n.source_id,
    n.resource,
    case when split_part(u.ref, '=', 1) in ('book:order', 'chain:tx') then u.ref
        else coalesce(s.space, n.source_id) || ' ' || u.ref end as ref
from link_node as n
cross join unnest(n.refs) as u (ref)
left join scope.source as s
    on s.account_id = $1 and s.source_id = n.source_id
-- Which lines a payout bundles makes no payment of them.
where split_part(u.ref, '=', 1) !~ ':(payout|line)$'
