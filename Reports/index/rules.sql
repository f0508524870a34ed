-- One row: one rule with standing breaks, by age bucket; the worst rule first.
select
    c.rule,
    min(case c.severity when 'critical' then 1 when 'high' then 2 when 'medium' then 3 when 'low' then 4 else 5 end)
        ::bigint as worst,
    sum(c.breaks)::bigint as breaks,
    coalesce(sum(c.breaks) filter (where not c.is_primary), 0)::bigint as secondary,
    coalesce(sum(c.breaks) filter (where c.is_new or c.is_reopened_now), 0)::bigint as news,
    coalesce(sum(c.breaks) filter (where c.state = 'acknowledged'), 0)::bigint as acknowledged,
    coalesce(sum(c.breaks) filter (where c.bucket = '0–1'), 0)::bigint as age_1,
    coalesce(sum(c.breaks) filter (where c.bucket = '2–7'), 0)::bigint as age_2,
    coalesce(sum(c.breaks) filter (where c.bucket = '8–30'), 0)::bigint as age_3,
    coalesce(sum(c.breaks) filter (where c.bucket = '31–60'), 0)::bigint as age_4,
    coalesce(sum(c.breaks) filter (where c.bucket = '61–90'), 0)::bigint as age_5,
    coalesce(sum(c.breaks) filter (where c.bucket = '91+'), 0)::bigint as age_6
from pg_temp.tieout_report_cell c
group by c.rule
order by 2, sum(c.breaks) desc, c.rule collate "C"
