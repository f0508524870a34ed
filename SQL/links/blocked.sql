-- One row put in: one reference that a payment which is not looked at holds too. $1 account.
insert into link_blocked (ref)
select c.ref
from (select distinct c.ref from link_claim as c) as c
where exists (
    select 1
    from tieout.payment_key as k
    where k.account_id = $1
        and k.key = tieout.key_of(c.ref)
        and not exists (select 1 from run_scope as r where r.payment_id = k.payment_id)
)
