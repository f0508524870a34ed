-- One row: the headline counts of standing breaks.
select
    coalesce(sum(c.breaks), 0)::bigint as standing,
    coalesce(sum(c.breaks) filter (where c.is_primary), 0)::bigint as primaries,
    coalesce(sum(c.breaks) filter (where c.state = 'acknowledged'), 0)::bigint as acknowledged,
    coalesce(sum(c.breaks) filter (where c.is_new), 0)::bigint as opened,
    coalesce(sum(c.breaks) filter (where c.is_reopened_now), 0)::bigint as reopened,
    coalesce(sum(c.breaks) filter (where c.is_carried), 0)::bigint as carried,
    coalesce(sum(c.breaks) filter (where c.is_baseline), 0)::bigint as baseline,
    coalesce(sum(c.breaks) filter (where c.severity = 'critical' and c.is_primary), 0)::bigint as critical,
    coalesce(sum(c.breaks) filter (where c.severity = 'high' and c.is_primary), 0)::bigint as high,
    coalesce(sum(c.breaks) filter (where c.severity = 'medium' and c.is_primary), 0)::bigint as medium,
    coalesce(sum(c.breaks) filter (where c.severity = 'low' and c.is_primary), 0)::bigint as low,
    coalesce(sum(c.breaks) filter (where c.severity = 'info' and c.is_primary), 0)::bigint as info
from pg_temp.tieout_report_cell c
