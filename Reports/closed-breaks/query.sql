-- One row: one break that was closed since the previous report of the same job.
select
    b.break_id,
    b.rule,
    b.how,
    b.source_id as source,
    b.subject,
    b.order_id,
    b.transaction_id,
    b.currency,
    b.difference,
    b.opened_at,
    b.closed_at,
    b.actor,
    r.body as reason,
    b.version
from {closed} b
left join tieout.break_reason r on r.account_id = b.account_id and r.digest = b.reason_digest
