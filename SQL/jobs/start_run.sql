-- One row: the run that starts now; its number counts up per account.
-- $1 account, $2 job, $3 ledger time, $4 machine time, $5 host.
insert into tieout.run (account_id, run_id, job, ledger_time, started_at, host)
select $1, coalesce(max(run_id), 0) + 1, $2, $3, $4, $5
from tieout.run
where account_id = $1
returning run_id
