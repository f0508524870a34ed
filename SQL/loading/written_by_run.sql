-- One row: how many versions the database holds of one run and source that were written from $5 on, current ones and those
-- superseded since. Where nothing of the account is as new as that, one look at an index says so.
select
    case
        when (select max(n.observed_at) from tieout.transaction as n where n.account_id = $1) >= $5
            then (
                select count(*)
                from tieout.transaction as t
                where t.account_id = $1
                    and t.source_id = $2
                    and t.resource = $3
                    and t.run_id = $4
                    and t.observed_at >= $5
            )
        else 0
    end + (
        select count(*)
        from tieout.transaction_history as h
        where h.account_id = $1
            and h.source_id = $2
            and h.resource = $3
            and h.run_id = $4
            and h.observed_at >= $5
            and h.superseded_at >= $5
    ) as versions
