-- One row put in: one record that belonged to no payment yet.
insert into tieout.payment_member (account_id, member, source_id, record_id, payment_id)
select l.account_id, l.member, l.source_id, l.record_id, l.payment_id
from link_member as l
left join link_known as k
    on k.member = l.member and k.source_id = l.source_id and k.record_id = l.record_id
where l.account_id = $1 and k.payment_id is null
