-- One row put in: one node and the smallest node that carries the same reference, where that reference may link. A
-- reference that two orders claim links nothing; a chain transaction links only where one row per source and resource
-- carries it (batched transfers pay many; two views of one payment are two resources). What a payment that is not looked
-- at holds too linked nothing before, and nobody who claims it has changed: it links nothing now. First round.
insert into link_edge (round, node, smaller)
select distinct 1, c.node, a.smallest
from link_claim as c
inner join (
    select c.ref, min(c.node) as smallest
    from link_claim as c
    group by c.ref
    having min(c.node) < max(c.node)
        and coalesce(
            min(c.node) filter (where c.member = 'order') = max(c.node) filter (where c.member = 'order'), true
        )
) as a on a.ref = c.ref
left join (
    select distinct c.ref
    from link_claim as c
    where c.ref like 'chain:tx=%' and c.member = 'transaction'
    group by c.ref, c.source_id, c.resource
    having min(c.node) < max(c.node)
) as batched on batched.ref = c.ref
left join link_blocked as b on b.ref = c.ref
where c.node > a.smallest and batched.ref is null and b.ref is null
