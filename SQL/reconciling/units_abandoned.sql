-- One row put in: one order that lapsed unpaid with both sides agreeing, which is no break: it is counted. Class lapsing: it
-- will have lapsed when its time has come. $1 account, $2 as_of.
insert into run_unit (
    pair, payment_id, source_id, business_day, direction, currency, bucket, a_count, a, b_count, b, class, broken,
    rest_class, is_settled
)
select
    'abandoned',
    o.payment_id,
    o.source_id,
    tieout.business_day(coalesce(o.expires_at, o.created_at), a.zone, a.cut_off),
    o.direction,
    '',
    'none',
    1,
    null,
    0,
    null,
    w.class,
    0,
    w.class,
    w.class = 'abandoned'
from scope.book_order as o
inner join tieout.account as a on a.account_id = $1
cross join lateral (
    select case when coalesce(o.expires_at, o.created_at) <= $2 then 'abandoned' else 'lapsing' end as class
) as w
left join (
    select t.account_id, t.payment_id
    from scope.transaction as t
    where t.money <> 'none' and not t.is_test
    group by t.account_id, t.payment_id
) as p
    on p.account_id = o.account_id and p.payment_id = o.payment_id
where o.account_id = $1 and o.status = 'expired' and p.account_id is null
