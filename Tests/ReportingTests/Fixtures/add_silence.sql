-- One row put in: rule $1 looked at nothing of meld-live because $2.
insert into tieout.run_rule (
    account_id, run_id, rule, source_id, evaluated, findings, awaiting, not_evaluated, before_coverage, not_applicable,
    reason
)
values (1, 2, $1, 'meld-live', 0, 0, 0, 0, 0, false, $2)
