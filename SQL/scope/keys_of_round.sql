-- One row put in: one key of a payment in scope that was not known to be shared yet. $1 account, $2 this round.
insert into scope_key (key, round)
select distinct k.key, $2::bigint::int
from run_scope as r
inner join tieout.payment_key as k
    on k.account_id = $1 and k.payment_id = r.payment_id and k.spreads
on conflict do nothing
