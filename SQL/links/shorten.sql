-- One row changed: one node whose label hangs on a smaller one itself; long chains halve with each round.
update link_label as n
set label = l.label
from link_label as l
where l.node = n.label and l.label < n.label
