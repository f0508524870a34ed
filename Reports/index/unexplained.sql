-- One row: one business day of one pair, source, direction and currency that does not tie out.
select
    t.pair,
    left(t.source_id, 161) as source,
    to_char(t.business_day, 'YYYY-MM-DD') as business_day,
    t.direction,
    t.currency,
    sum(t.unexplained_count)::bigint as unexplained_count,
    sum(t.unexplained_sum)::text as unexplained_sum
from {control_totals} t
where t.unexplained_count <> 0 or coalesce(t.unexplained_sum, 0) <> 0
group by t.pair, t.source_id, t.business_day, t.direction, t.currency
order by t.business_day desc, t.pair, t.source_id, t.direction, t.currency
limit {limit}
