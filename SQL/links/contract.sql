-- One row put in: two smallest nodes that an edge of round $1 joins though no node hangs them together yet; what the next
-- round works on.
insert into link_edge (round, node, smaller)
select distinct $1::bigint + 1, greatest(a.label, b.label), least(a.label, b.label)
from link_edge as e
inner join link_label as a on a.node = e.node
inner join link_label as b on b.node = e.smaller
where e.round = $1 and a.label <> b.label
