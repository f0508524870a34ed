-- One row put in: one payment that shares a key of round $2 with a payment in scope. $1 account.
insert into run_scope (payment_id)
select distinct k.payment_id
from scope_key as s
inner join tieout.payment_key as k
    on k.account_id = $1 and k.key = s.key
where s.round = $2
on conflict do nothing
