-- One row put in: one event for one break that this run opened, reopened, changed, healed or could not judge; nothing
-- for a break that stands as it stood. $1 account, $2 run, $3 ledger time now. A payment's id is derived and no change.
insert into run_event
select
    s.rule,
    s.subject,
    s.break_id,
    case s.step
        when 'open' then 'opened'
        when 'reopen' then 'reopened'
        when 'heal' then 'healed'
        else case when s.incomplete_since is not null and b.incomplete_since is null then 'carried' else 'changed' end
    end as event,
    $2::bigint as run_id,
    $3::timestamptz as at,
    'system' as actor,
    b.state as state_from,
    s.state as state_to,
    null::bytea as reason_digest,
    s.severity,
    s.source_id,
    s.payment_id,
    s.order_id,
    s.transaction_id,
    s.direction,
    s.segment,
    s.currency,
    s.difference,
    s.at_risk,
    s.due_at,
    s.event_at,
    s.opened_at,
    s.primary_break_id,
    s.is_baseline,
    s.incomplete_since,
    s.owner,
    s.facts,
    s.facts_digest
from run_stand as s
left join tieout.break as b
    on b.account_id = $1 and b.rule = s.rule and b.subject = s.subject
where b.account_id is null
    or s.step in ('reopen', 'heal')
    or (
        s.severity, s.source_id, s.order_id, s.transaction_id, s.direction, s.segment, s.currency, s.difference,
        s.at_risk, s.due_at, s.event_at, s.primary_break_id, s.is_baseline, s.incomplete_since, s.facts_digest
    ) is distinct from (
        b.severity, b.source_id, b.order_id, b.transaction_id, b.direction, b.segment, b.currency, b.difference,
        b.at_risk, b.due_at, b.event_at, b.primary_break_id, b.is_baseline, b.incomplete_since, b.facts_digest
    )
