-- One row: one draining source that shows transactions created since it drains. $1 account.
select s.source_id, s.life_since, n.records
from tieout.source as s
cross join lateral (
    select count(*) as records
    from tieout.transaction as t
    where t.account_id = s.account_id
        and t.source_id = s.source_id
        and t.resource = 'transaction'
        and t.created_at >= s.life_since
) as n
where s.account_id = $1 and s.life = 'draining' and n.records > 0
order by s.source_id
