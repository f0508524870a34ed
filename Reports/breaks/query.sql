-- One row: one break that stands, open or acknowledged.
select
    b.break_id,
    a.name as account,
    b.rule,
    b.severity,
    b.state,
    b.source_id as source,
    b.subject,
    b.order_id,
    b.transaction_id,
    b.payment_id,
    b.direction,
    b.segment,
    b.currency,
    b.difference,
    b.at_risk,
    b.due_at,
    b.opened_at,
    b.age_days,
    b.bucket,
    b.primary_break_id,
    b.owner,
    b.version,
    w.body as reason,
    b.facts as fields
from {standing} b
join tieout.account a on a.account_id = b.account_id
left join lateral (
    select r.body
    from tieout.break_event e
    join tieout.break_reason r on r.account_id = e.account_id and r.digest = e.reason_digest
    where b.state <> 'open' and e.account_id = b.account_id and e.rule = b.rule and e.subject = b.subject
      and e.seq <= b.version and e.reason_digest is not null
    order by e.seq desc
    limit 1
) w on true
