-- One row changed: one record that belongs to another payment than before.
with moved as materialized (
    select l.member, l.source_id, l.record_id, l.payment_id
    from link_member as l
    inner join link_known as k
        on k.member = l.member and k.source_id = l.source_id and k.record_id = l.record_id
    where l.payment_id <> k.payment_id
)

update tieout.payment_member as m
set payment_id = v.payment_id
from moved as v
where m.account_id = $1
    and m.member = v.member
    and m.source_id = v.source_id
    and m.record_id = v.record_id
