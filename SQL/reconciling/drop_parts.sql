-- One row put in: one day of one pair that lost a part of a payment, which is removed. $1 account; {limit} leaves out the
-- payments that this run did not look at.
with gone as (
    delete from tieout.control_unit as u
    where u.account_id = $1 {limit}
        and not exists (
            select 1
            from run_part as p
            where p.payment_id = u.payment_id
                and p.part = u.part
                and p.pair = u.pair
                and p.source_id = u.source_id
                and p.business_day = u.business_day
                and p.direction = u.direction
                and p.currency = u.currency
                and p.bucket = u.bucket
                and p.class = u.class
                and p.rest_class = u.rest_class
                and p.units = u.units
                and p.a_count = u.a_count
                and p.a is not distinct from u.a
                and p.b_count = u.b_count
                and p.b is not distinct from u.b
                and p.broken = u.broken
                and p.is_settled = u.is_settled
        )
    returning u.pair, u.business_day
)

insert into run_day (pair, business_day)
select distinct g.pair, g.business_day
from gone as g
