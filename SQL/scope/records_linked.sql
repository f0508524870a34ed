-- One row put in: one record that linking looks at: the news, and what belonged to a payment they affect. $1 account.
insert into scope_record (member, source_id, record_id, round)
select n.member, n.source_id, n.record_id, 1
from scope_news as n
union
select m.member, m.source_id, m.record_id, 1
from run_scope as r
inner join tieout.payment_member as m
    on m.account_id = $1 and m.payment_id = r.payment_id
