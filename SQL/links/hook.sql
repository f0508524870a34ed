-- One row changed: one node that now hangs on the smallest of those that round $1 joins it with. Only smaller nodes are
-- hung on, so there is no circle, and the smallest of a component stays its own label.
update link_label as l
set label = e.smaller
from (
    select e.node, min(e.smaller) as smaller
    from link_edge as e
    where e.round = $1
    group by e.node
) as e
where l.node = e.node
