-- One row: one pair, source, direction and currency whose control totals hold something unexplained, over the business
-- days where they do. Where days cancel each other out the row still stands. At most 20.
select
    t.pair,
    t.source_id,
    t.direction,
    t.currency,
    count(distinct t.business_day) as days,
    sum(t.unexplained_count)::bigint as records,
    trim_scale(sum(t.unexplained_sum))::text as unexplained
from tieout.control_total t
where t.account_id = $1 and (t.unexplained_count <> 0 or t.unexplained_sum <> 0)
group by t.pair, t.source_id, t.direction, t.currency
order by t.pair, t.source_id, t.direction, t.currency
limit 20
