-- One row: records of one source and feed that could not be taken in for one reason, open at as_of.
select
    left(q.source_id, 161) as source,
    q.feed,
    left(q.reason, 161) as reason,
    count(*) as records,
    count(*) filter (where q.run_id = {run}) as news
from tieout.quarantine q
where q.account_id = {account} and q.observed_at <= {as_of}
  and (q.state = 'open' or q.state_changed_at > {as_of})
group by q.source_id, q.feed, q.reason
order by count(*) desc, q.source_id, q.feed, q.reason collate "C"
limit {limit}
