-- One row put in: one key that a payment which linking looks at anew had before: whoever shared it may stand otherwise
-- now. $1 account.
insert into scope_key (key, round)
select distinct k.key, 0
from run_scope as r
inner join tieout.payment_key as k
    on k.account_id = $1 and k.payment_id = r.payment_id and k.spreads
