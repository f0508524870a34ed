-- One row put in: one finding as its rule returned it. $3 the rule, $4 its rank. {limit} leaves out what is not in
-- scope. Follows the rule's own text.
insert into run_finding (rule, rank, source_id, payment_id, subject, severity, difference, at_risk, currency, due_at, facts)
select
    $3::text,
    $4::bigint::int,
    f.source_id,
    f.payment_id,
    f.subject,
    f.severity,
    f.difference::numeric,
    coalesce(f.at_risk, 0)::numeric,
    f.currency,
    f.due_at::timestamptz,
    coalesce(f.fields, '[]')::jsonb
from finding as f
where f.account_id = $1 and $2::timestamptz is not null {limit}
