-- One row put in: one thing that a payment has now.
insert into tieout.payment_key (account_id, key, payment_id, spreads)
select $1::bigint, l.key, l.payment_id, l.spreads
from link_key as l
left join tieout.payment_key as k
    on k.account_id = $1 and k.key = l.key and k.payment_id = l.payment_id
where k.payment_id is null
order by l.key, l.payment_id
