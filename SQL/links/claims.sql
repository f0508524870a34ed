-- One row put in: one reference of one node. Kinds that a provider names are spaces per source: they are compared
-- within one identity space only; the book's own order ids and chain transactions are compared across the account.
insert into link_claim (node, member, source_id, resource, ref)
select
    c.node,
    c.member,
    c.source_id,
    c.resource,
    case when c.ref like 'book:order=%' or c.ref like 'chain:tx=%' then c.ref else c.space || c.ref end
from (
    select
        n.node,
        n.member,
        n.source_id,
        n.resource,
        coalesce(s.space, n.source_id) || ' ' as space,
        unnest(n.refs) collate "C" as ref
    from link_node as n
    left join scope.source as s
        on s.account_id = $1 and s.source_id = n.source_id
) as c
-- Which lines a payout bundles makes no payment of them.
where right(split_part(c.ref, '=', 1), 7) <> ':payout' and right(split_part(c.ref, '=', 1), 5) <> ':line'
