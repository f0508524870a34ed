-- One row put in: the break as its event left it.
insert into tieout.break (account_id, rule, subject, break_id, version, state, severity, source_id, order_id, currency,
    difference, at_risk, due_at, opened_at, first_opened_at, opened_run_id, primary_break_id, is_baseline, facts,
    facts_digest)
select 1, e.rule, e.subject, e.break_id, e.seq, e.state_to, e.severity, e.source_id, e.order_id, e.currency, e.difference,
    e.at_risk, e.due_at, e.opened_at, e.opened_at, e.run_id, e.primary_break_id, false, e.facts, e.facts_digest
from tieout.break_event e
where e.account_id = 1 and e.seq = $1
