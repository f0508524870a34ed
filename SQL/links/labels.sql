-- One row put in: one node, which so far belongs with itself only.
insert into link_label (node, label)
select n.node, n.node
from link_node as n
