-- One row removed: one membership that no record has any more.
with gone as materialized (
    select k.member, k.source_id, k.record_id
    from link_known as k
    left join link_member as l
        on l.member = k.member and l.source_id = k.source_id and l.record_id = k.record_id
    where l.payment_id is null
)

delete from tieout.payment_member as m
using gone as g
where m.account_id = $1
    and m.member = g.member
    and m.source_id = g.source_id
    and m.record_id = g.record_id
