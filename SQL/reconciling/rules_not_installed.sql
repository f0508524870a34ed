-- One row put in: one rule that the state matrix names and that is not installed. $1 account, $2 run, $3 installed.
insert into tieout.run_rule (
    account_id, run_id, rule, source_id, evaluated, findings, awaiting, not_evaluated, before_coverage, not_applicable,
    reason
)
select distinct $1::bigint, $2::bigint, x.verdict, '', 0, 0, 0, 0, 0, true, 'rule not installed'
from scope.state_matrix as x
where x.verdict not in ('agree', 'awaiting') and not x.verdict = any($3::text[])
