-- One row: one total that does not hold. Either its differences are not the sum of its classes, or a record is in no
-- class or in two, or the side A of what this run looked at is not what the book
-- itself adds up to (business_day null: over all days).
with class as (
    select
        t.pair,
        t.source_id,
        t.business_day,
        t.direction,
        t.currency,
        t.bucket,
        sum((c.value ->> 'count')::bigint) as units,
        sum((c.value ->> 'sum')::numeric) as amount
    from run_total as t
    cross join lateral jsonb_each(coalesce(t.classes, '{}')) as c (key, value)
    group by t.pair, t.source_id, t.business_day, t.direction, t.currency, t.bucket
)

select
    t.pair,
    t.source_id,
    t.business_day::text as business_day,
    t.currency,
    t.bucket,
    case when t.units <> coalesce(c.units, 0) + t.unexplained_count then 'records and classes' else 'sums and classes' end
        as what
from run_total as t
left join class as c
    on c.pair = t.pair
    and c.source_id = t.source_id
    and c.business_day = t.business_day
    and c.direction = t.direction
    and c.currency = t.currency
    and c.bucket = t.bucket
where t.units <> coalesce(c.units, 0) + t.unexplained_count
    or t.a_sum - t.b_sum <> coalesce(c.amount, 0) + t.unexplained_sum
union all
select 'book-provider', '', null, o.currency, '', 'the book and side A'
from (
    select
        o.currency,
        count(*) as orders,
        sum(case when o.book_money in ('none', 'unknown') then 0 else o.amount end) as amount
    from scope.book_order as o
    where o.account_id = $1
    group by o.currency
) as o
full join (
    select t.currency, sum(t.a_count) as orders, sum(t.a) as amount
    from run_unit as t
    where t.pair = 'book-provider'
    group by t.currency
    having sum(t.a_count) > 0
) as t on t.currency = o.currency
where o.orders is distinct from t.orders or o.amount is distinct from t.amount
order by 1, 2, 3, 4, 5
