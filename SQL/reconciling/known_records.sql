-- One row: one record that was counted before, among those that linking looked at, to be taken off. Included where {known}
-- stands.
union all
select k.source_id, -1
from link_known as k
where k.member in ('transaction', 'order')
