-- One row: one break as it stands now. Used where nothing was added to the audit trail since the run that is reported;
-- otherwise breaks_as_of.sql, which has the same columns, rebuilds the standing from the trail.
select
    b.account_id,
    b.rule,
    b.subject,
    b.break_id,
    b.version,
    b.state,
    b.severity,
    b.source_id,
    b.payment_id,
    b.order_id,
    b.transaction_id,
    b.direction,
    b.segment,
    b.currency,
    b.difference,
    b.at_risk,
    b.due_at,
    b.event_at,
    b.opened_at,
    b.opened_run_id,
    b.is_reopened,
    b.primary_break_id,
    b.is_baseline,
    b.incomplete_since,
    b.owner,
    b.facts
from tieout.break b
where b.account_id = {account}
