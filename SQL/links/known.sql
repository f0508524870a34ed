-- One row put in: one record's membership, as an earlier run left it; {limit} leaves out what is not looked at.
insert into link_known (member, source_id, record_id, payment_id)
select m.member, m.source_id, m.record_id, m.payment_id
from tieout.payment_member as m
where m.account_id = $1 {limit}
