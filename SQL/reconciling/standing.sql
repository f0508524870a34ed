-- One row: how many headline breaks of one severity stand after run $2, acknowledged and baseline ones aside.
select
    b.severity,
    count(*) as standing,
    count(*) filter (where b.opened_run_id = $2) as fresh
from tieout.break as b
where b.account_id = $1
    and b.state = 'open'
    and b.primary_break_id is null
    and not b.is_baseline
group by b.severity
