-- One row: the standing breaks that share every word the page counts by. One pass over the breaks; all the counts and
-- sums of the page are taken from these rows.
create temporary table tieout_report_cell on commit drop as
select
    b.rule,
    b.severity,
    b.state,
    b.bucket,
    b.currency,
    b.primary_break_id is null as is_primary,
    b.is_new,
    b.is_reopened_now,
    b.is_baseline,
    b.incomplete_since is not null as is_carried,
    count(*) as breaks,
    count(*) filter (where b.at_risk > 0) as risky,
    sum(b.at_risk) as at_risk
from {standing} b
group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
