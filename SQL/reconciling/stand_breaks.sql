-- One row put in or changed: one break as its event after seq $2 left it. A break that a person closes keeps the facts
-- that were closed; one that healed keeps none, so any finding reopens it.
insert into tieout.break as b (
    account_id, rule, subject, break_id, version, state, severity, source_id, payment_id, order_id, transaction_id,
    direction, segment, currency, difference, at_risk, due_at, event_at, opened_at, first_opened_at, opened_run_id,
    primary_break_id, is_baseline, is_reopened, incomplete_since, owner, facts, facts_digest, closed_facts_digest
)
select
    e.account_id,
    e.rule,
    e.subject,
    e.break_id,
    e.seq,
    e.state_to,
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
    e.opened_at,
    coalesce(e.run_id, 0),
    e.primary_break_id,
    e.is_baseline,
    e.event = 'reopened',
    e.incomplete_since,
    e.owner,
    e.facts,
    e.facts_digest,
    case when e.event in ('resolved', 'written_off') then e.facts_digest end
from tieout.break_event as e
where e.account_id = $1 and e.seq > $2
on conflict (account_id, rule, subject) do update
set
    version = excluded.version,
    state = excluded.state,
    severity = excluded.severity,
    source_id = excluded.source_id,
    payment_id = excluded.payment_id,
    order_id = excluded.order_id,
    transaction_id = excluded.transaction_id,
    direction = excluded.direction,
    segment = excluded.segment,
    currency = excluded.currency,
    difference = excluded.difference,
    at_risk = excluded.at_risk,
    due_at = excluded.due_at,
    event_at = excluded.event_at,
    opened_at = excluded.opened_at,
    -- A new spell starts where the old one's opening moves.
    opened_run_id = case when excluded.opened_at > b.opened_at then excluded.opened_run_id else b.opened_run_id end,
    primary_break_id = excluded.primary_break_id,
    is_baseline = excluded.is_baseline,
    is_reopened = excluded.is_reopened or (b.is_reopened and excluded.opened_at = b.opened_at),
    incomplete_since = excluded.incomplete_since,
    owner = excluded.owner,
    facts = excluded.facts,
    facts_digest = excluded.facts_digest,
    closed_facts_digest = excluded.closed_facts_digest
