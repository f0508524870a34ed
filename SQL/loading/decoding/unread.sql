-- One row: one transaction that still has an older reading because its bytes are gone; those that wait in quarantine are
-- worked off there. $1 account, $2 source, $3 resource.
select t.transaction_id
from tieout.transaction as t
where t.account_id = $1
    and t.source_id = $2
    and t.resource = $3
    and t.raw_hash = ''::bytea
    and not exists (
        select 1
        from tieout.quarantine as q
        where q.account_id = t.account_id
            and q.source_id = t.source_id
            and q.feed = 'provider'
            and q.record_id = t.transaction_id
            and q.state = 'open'
    )
order by t.transaction_id
