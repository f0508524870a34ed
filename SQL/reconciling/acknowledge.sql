-- One row put in: the event by which a person ($4) acknowledges break $2 at ledger time $3; $5 the reason's digest.
insert into run_event
select
    b.rule,
    b.subject,
    b.break_id,
    'acknowledged' as event,
    null::bigint as run_id,
    $3::timestamptz as at,
    $4::text as actor,
    b.state as state_from,
    'acknowledged' as state_to,
    $5::bytea as reason_digest,
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
    b.primary_break_id,
    b.is_baseline,
    b.incomplete_since,
    $4::text as owner,
    b.facts,
    b.facts_digest
from tieout.break as b
where b.account_id = $1 and b.break_id = $2
