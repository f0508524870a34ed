-- One row: how far the audit trail had come with a run: its last event by that run, by one before it, or by a person
-- up to its knowledge cut.
select e.seq, e.digest
from tieout.break_event e
where e.account_id = {account} and (e.run_id <= {run} or e.run_id is null and e.at <= {as_of})
order by e.seq desc
limit 1
