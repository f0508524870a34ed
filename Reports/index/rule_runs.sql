-- One row: what one rule did in the run, for the rule as a whole or for one source.
select
    r.rule,
    left(r.source_id, 161) as source,
    r.evaluated,
    r.findings,
    r.awaiting,
    r.not_evaluated,
    r.before_coverage,
    r.not_applicable,
    left(r.reason, 241) as reason
from tieout.run_rule r
where r.account_id = {account} and r.run_id = {run}
order by r.rule, r.source_id
