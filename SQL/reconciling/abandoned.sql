-- One row: how many orders of one source lapsed unpaid with both sides agreeing. $1 account, $2 as_of.
select o.source_id, count(*) as orders
from scope.book_order as o
left join (
    select t.account_id, t.payment_id
    from scope.transaction as t
    where t.money <> 'none'
    group by t.account_id, t.payment_id
) as p
    on p.account_id = o.account_id and p.payment_id = o.payment_id
where o.account_id = $1
    and o.status = 'expired'
    and coalesce(o.expires_at, o.created_at) <= $2
    and p.account_id is null
group by o.source_id
order by o.source_id
