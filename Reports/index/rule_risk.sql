-- One row: what is at risk under one rule in one currency.
select c.rule, coalesce(c.currency, '') as currency, sum(c.at_risk)::text as at_risk
from pg_temp.tieout_report_cell c
where c.is_primary
group by c.rule, c.currency
having sum(c.at_risk) > 0
order by c.rule collate "C", sum(c.breaks) desc, c.currency collate "C"
