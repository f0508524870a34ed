-- One row: both sides of one pair in one direction and currency, over every source, day and bucket.
with class_sum as (
    select
        t.pair,
        t.direction,
        t.currency,
        t.business_day,
        t.a_count,
        t.a_sum,
        t.b_count,
        t.b_sum,
        (t.classes -> 'breaks' ->> 'count')::bigint as breaks_count,
        (t.classes -> 'breaks' ->> 'sum')::numeric as breaks_sum,
        (t.classes -> 'awaiting' ->> 'count')::bigint as awaiting_count,
        (t.classes -> 'awaiting' ->> 'sum')::numeric as awaiting_sum,
        coalesce((t.classes -> 'ambiguous' ->> 'count')::bigint, 0)
          + coalesce((t.classes -> 'not_evaluated' ->> 'count')::bigint, 0)
          + coalesce((t.classes -> 'before_coverage' ->> 'count')::bigint, 0)
          + coalesce((t.classes -> 'quarantined' ->> 'count')::bigint, 0) as other_count,
        coalesce((t.classes -> 'ambiguous' ->> 'sum')::numeric, 0)
          + coalesce((t.classes -> 'not_evaluated' ->> 'sum')::numeric, 0)
          + coalesce((t.classes -> 'before_coverage' ->> 'sum')::numeric, 0)
          + coalesce((t.classes -> 'quarantined' ->> 'sum')::numeric, 0) as other_sum,
        t.unexplained_count,
        t.unexplained_sum
    from {control_totals} t
)
select
    c.pair,
    c.direction,
    c.currency,
    to_char(min(c.business_day), 'YYYY-MM-DD') as first_day,
    to_char(max(c.business_day), 'YYYY-MM-DD') as last_day,
    sum(c.a_count)::bigint as a_count,
    trim_scale(sum(c.a_sum))::text as a_sum,
    sum(c.b_count)::bigint as b_count,
    trim_scale(sum(c.b_sum))::text as b_sum,
    trim_scale(sum(c.a_sum) - sum(c.b_sum))::text as difference,
    coalesce(sum(c.breaks_count), 0)::bigint as breaks_count,
    trim_scale(coalesce(sum(c.breaks_sum), 0))::text as breaks_sum,
    coalesce(sum(c.awaiting_count), 0)::bigint as awaiting_count,
    trim_scale(coalesce(sum(c.awaiting_sum), 0))::text as awaiting_sum,
    coalesce(sum(c.other_count), 0)::bigint as other_count,
    trim_scale(coalesce(sum(c.other_sum), 0))::text as other_sum,
    coalesce(sum(c.unexplained_count), 0)::bigint as unexplained_count,
    trim_scale(sum(c.unexplained_sum))::text as unexplained_sum,
    count(*) filter (where c.unexplained_count <> 0 or coalesce(c.unexplained_sum, 0) <> 0) as open_rows
from class_sum c
group by c.pair, c.direction, c.currency
order by c.pair, c.direction, c.currency
