-- One row: how many records of the file in hand were never met in quarantine. $1 account, $2 feed.
select count(distinct (n.source_id, n.digest)) as fresh
from quarantine_new n
where not exists (
    select 1
    from tieout.quarantine q
    where q.account_id = $1 and q.source_id = n.source_id and q.feed = $2 and q.digest = n.digest
)
