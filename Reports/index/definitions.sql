-- One row: one text that the run used. Bodies are needed of rules only, for their titles.
select d.kind, d.name, d.digest, case when d.kind = 'rule' then t.body end as body
from tieout.run_definition d
join tieout.definition t on t.digest = d.digest
where d.account_id = {account} and d.run_id = {run}
order by d.kind, d.name
