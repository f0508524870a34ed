-- One row: how many versions the database holds of one run and source, current ones and those superseded since $5.
select
    (
        select count(*)
        from tieout.transaction
        where account_id = $1
            and source_id = $2
            and resource = $3
            and run_id = $4
    ) + (
        select count(*)
        from tieout.transaction_history
        where account_id = $1
            and source_id = $2
            and resource = $3
            and run_id = $4
            and superseded_at >= $5
    ) as versions
