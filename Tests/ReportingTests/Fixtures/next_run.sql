-- One row put in: run 2, begun after run 1 was reported.
insert into tieout.run (account_id, run_id, job, ledger_time, as_of, period_from, period_to, state, started_at)
select 1, 2, r.job, '2026-08-22T00:30:00Z', '2026-08-22T00:40:00Z', r.period_to, r.period_to + interval '1 day', 'running',
    '2026-08-22T00:30:00Z'
from tieout.run r
where r.account_id = 1 and r.run_id = 1
