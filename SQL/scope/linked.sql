-- One row put in: one payment as this run links it.
insert into run_scope (payment_id)
select distinct l.payment_id
from link_member as l
on conflict do nothing
