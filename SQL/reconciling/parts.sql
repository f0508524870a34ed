-- One row put in: what one payment brings to the totals of one pair, day and class. Amounts without trailing zeros, so that
-- equal ones are stored alike.
insert into run_part
select
    u.payment_id,
    row_number() over (
        partition by u.payment_id
        order by u.pair, u.source_id, u.business_day, u.direction, u.currency, u.bucket, u.class, u.rest_class
    )::int as part,
    u.pair,
    u.source_id,
    u.business_day,
    u.direction,
    u.currency,
    u.bucket,
    u.class,
    u.rest_class,
    count(*) as units,
    sum(u.a_count) as a_count,
    trim_scale(sum(u.a)) as a,
    sum(u.b_count) as b_count,
    trim_scale(sum(u.b)) as b,
    trim_scale(sum(u.broken)) as broken,
    bool_and(u.is_settled) as is_settled
from (
    select
        r.*,
        -- Where the rest of a difference belongs matters only beside a break.
        case r.class when 'breaks' then r.rest_class else r.class end as rest
    from run_unit as r
) as w
cross join lateral (
    select
        w.payment_id, w.pair, w.source_id, w.business_day, w.direction, w.currency, w.bucket, w.class,
        w.rest as rest_class, w.a_count, w.a, w.b_count, w.b, w.broken, w.is_settled
) as u
group by
    u.payment_id, u.pair, u.source_id, u.business_day, u.direction, u.currency, u.bucket, u.class, u.rest_class
