-- One row put in: one record of a payment in scope that linking had no need to look at. $1 account.
insert into scope_record (member, source_id, record_id, round)
select m.member, m.source_id, m.record_id, 2
from run_scope as r
inner join tieout.payment_member as m
    on m.account_id = $1 and m.payment_id = r.payment_id
on conflict do nothing
