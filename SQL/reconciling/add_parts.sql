-- One row put in: one day of one pair that gained a part of a payment, which is stored. $1 account.
with added as (
    insert into tieout.control_unit (
        account_id, payment_id, part, pair, source_id, business_day, direction, currency, bucket, class, rest_class,
        units, a_count, a, b_count, b, broken, is_settled
    )
    select
        $1::bigint, p.payment_id, p.part, p.pair, p.source_id, p.business_day, p.direction, p.currency, p.bucket,
        p.class, p.rest_class, p.units, p.a_count, p.a, p.b_count, p.b, p.broken, p.is_settled
    from run_part as p
    left join tieout.control_unit as u
        on u.account_id = $1 and u.payment_id = p.payment_id and u.part = p.part
    where u.account_id is null
    order by p.payment_id, p.part
    returning pair, business_day
)

insert into run_day (pair, business_day)
select distinct a.pair, a.business_day
from added as a
on conflict do nothing
