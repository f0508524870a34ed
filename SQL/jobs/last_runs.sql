-- One row: one scheduled job of account $1, with machine time at which a run of it came to its end last. Steps by hand are
-- no jobs that anybody waits for.
select
    r.job,
    max(r.finished_at) filter (where r.state in ('done', 'incomplete')) as finished_at
from tieout.run as r
where r.account_id = $1
    and r.job not in ('load', 'poll', 'reconcile', 'quarantine-retry')
group by r.job
order by r.job
