-- One row: what is at risk in one currency. Never added across currencies.
select
    coalesce(c.currency, '') as currency,
    sum(c.at_risk)::text as at_risk,
    sum(c.risky)::bigint as breaks,
    coalesce(sum(c.at_risk) filter (where c.severity = 'critical'), 0)::text as critical,
    coalesce(sum(c.at_risk) filter (where c.is_new or c.is_reopened_now), 0)::text as news,
    coalesce(sum(c.at_risk) filter (where c.state = 'acknowledged'), 0)::text as acknowledged
from pg_temp.tieout_report_cell c
where c.is_primary
group by c.currency
having sum(c.at_risk) > 0
order by sum(c.risky) desc, c.currency collate "C"
