-- One row: the standing breaks of one rule in one age bucket and one currency.
select
    b.rule,
    case b.bucket
        when '0–1' then 0 when '2–7' then 2 when '8–30' then 8 when '31–60' then 31 when '61–90' then 61 else 91
    end as from_days,
    b.bucket,
    b.currency,
    count(*) as breaks,
    count(*) filter (where b.state = 'acknowledged') as acknowledged,
    count(*) filter (where b.primary_break_id is null) as primaries,
    sum(b.at_risk) filter (where b.primary_break_id is null) as at_risk
from {standing} b
group by 1, 2, 3, 4
