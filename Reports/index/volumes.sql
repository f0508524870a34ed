-- One row: one of the last 31 business days with the number of payments of each side of book and provider.
with side as (
    select t.business_day, sum(t.a_count)::bigint as book, sum(t.b_count)::bigint as provider
    from {control_totals} t
    where t.pair in ('book-provider', 'book↔provider')
    group by t.business_day
)
select to_char(d.day, 'YYYY-MM-DD') as day, coalesce(s.book, 0) as book, coalesce(s.provider, 0) as provider
from (select max(business_day) as last from side) m
cross join lateral generate_series(m.last - 30, m.last, interval '1 day') as d (day)
left join side s on s.business_day = d.day
order by d.day
