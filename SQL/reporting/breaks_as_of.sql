-- One row: one break as it stood when the audit trail had reached {head}: its last event up to there, and the event
-- that began its spell (opened or reopened).
with last as (
    select
        e.rule,
        e.subject,
        max(e.seq) as seq,
        max(e.seq) filter (where e.event in ('opened', 'reopened')) as spell_seq
    from tieout.break_event e
    where e.account_id = {account} and e.seq <= {head}
    group by e.rule, e.subject
)
select
    e.account_id,
    e.rule,
    e.subject,
    e.break_id,
    e.seq as version,
    e.state_to as state,
    e.severity,
    e.source_id,
    e.payment_id,
    e.order_id,
    e.transaction_id,
    e.direction,
    e.segment,
    e.currency,
    e.difference,
    e.at_risk,
    e.due_at,
    e.event_at,
    e.opened_at,
    coalesce(s.run_id, 0) as opened_run_id,
    coalesce(s.event = 'reopened', false) as is_reopened,
    e.primary_break_id,
    e.is_baseline,
    e.incomplete_since,
    e.owner,
    e.facts
from last l
join tieout.break_event e on e.account_id = {account} and e.seq = l.seq
left join tieout.break_event s on s.account_id = {account} and s.seq = l.spell_seq
