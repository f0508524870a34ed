-- One row: how many open records became known after the last run before $2 that came to its end. $1 account.
select count(*) as fresh
from tieout.quarantine q
where q.account_id = $1
    and q.state = 'open'
    and q.run_id <= $2
    and q.run_id > (
        select coalesce(max(r.run_id), 0)
        from tieout.run r
        where r.account_id = $1 and r.run_id < $2 and r.state in ('done', 'incomplete')
    )
