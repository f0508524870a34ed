-- One row: the run, finished. $1 account, $2 run, $3 state, $4 exit status, $5 conditions, $6 machine time, $7 summary.
update tieout.run
set state = $3,
    exit_status = $4,
    conditions = $5,
    finished_at = $6,
    summary = summary || $7::jsonb
where account_id = $1
    and run_id = $2
