-- One row put in: one control total. Sums of the classes are signed differences (A − B), as exact text. $1 account;
-- {limit} leaves out the days of which nothing changed.
insert into run_total
with part as (
    select
        u.pair,
        u.source_id,
        u.business_day,
        u.direction,
        u.currency,
        u.bucket,
        u.class,
        u.rest_class,
        sum(u.units) as units,
        sum(u.a_count) as a_count,
        sum(u.a) as a,
        sum(u.b_count) as b_count,
        sum(u.b) as b,
        sum(u.broken) as broken,
        sum(u.a - u.b - u.broken) as rest
    from tieout.control_unit as u
    where u.account_id = $1 and u.pair <> 'abandoned' {limit}
    group by u.pair, u.source_id, u.business_day, u.direction, u.currency, u.bucket, u.class, u.rest_class
),

-- What its breaks carry of a payment's difference stands under the breaks, the rest where it belongs. A broken payment is
-- counted among the breaks, unless something else keeps it from being judged.
share as (
    select
        p.pair,
        p.source_id,
        p.business_day,
        p.direction,
        p.currency,
        p.bucket,
        'breaks' as class,
        case p.class when 'breaks' then p.units else 0 end as units,
        p.broken as amount
    from part as p
    where p.class = 'breaks' or p.broken <> 0
    union all
    select
        p.pair,
        p.source_id,
        p.business_day,
        p.direction,
        p.currency,
        p.bucket,
        case p.class when 'breaks' then p.rest_class else p.class end,
        case p.class when 'breaks' then 0 else p.units end,
        p.rest
    from part as p
    where p.class <> 'breaks' or p.rest <> 0
),

class_total as (
    select
        s.pair,
        s.source_id,
        s.business_day,
        s.direction,
        s.currency,
        s.bucket,
        s.class,
        sum(s.units) as units,
        sum(s.amount) as amount
    from share as s
    group by s.pair, s.source_id, s.business_day, s.direction, s.currency, s.bucket, s.class
),

side as (
    select
        p.pair,
        p.source_id,
        p.business_day,
        p.direction,
        p.currency,
        p.bucket,
        sum(p.units) as units,
        sum(p.a_count) as a_count,
        sum(p.a) as a_sum,
        sum(p.b_count) as b_count,
        sum(p.b) as b_sum
    from part as p
    group by p.pair, p.source_id, p.business_day, p.direction, p.currency, p.bucket
)

select
    d.pair,
    d.source_id,
    d.business_day,
    d.direction,
    d.currency,
    d.bucket,
    d.a_count,
    trim_scale(d.a_sum),
    d.b_count,
    trim_scale(d.b_sum),
    jsonb_object_agg(
        c.class,
        jsonb_build_object(
            'count', c.units,
            'sum', case when d.a_sum is not null then trim_scale(coalesce(c.amount, 0))::text end
        )
    ) filter (where c.class <> 'unexplained'),
    coalesce(sum(c.units) filter (where c.class = 'unexplained'), 0),
    case when d.a_sum is not null then coalesce(sum(c.amount) filter (where c.class = 'unexplained'), 0) end,
    d.units
from side as d
inner join class_total as c
    on c.pair = d.pair
    and c.source_id = d.source_id
    and c.business_day = d.business_day
    and c.direction = d.direction
    and c.currency = d.currency
    and c.bucket = d.bucket
group by
    d.pair, d.source_id, d.business_day, d.direction, d.currency, d.bucket, d.a_count, d.a_sum, d.b_count, d.b_sum,
    d.units
