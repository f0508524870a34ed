-- One row: one polled record of any resource in its current version, as its provider says. What is about another
-- account's payment is none of ours.
select
    x.account_id,
    x.source_id,
    x.resource,
    x.transaction_id,
    x.parent_id,
    x.direction,
    x.kind,
    x.raw_status,
    x.state,
    x.state_rank,
    x.money,
    x.after_taken,
    x.is_final,
    x.taken_at,
    x.created_at,
    x.updated_at,
    x.version_time,
    x.payment_method,
    x.charged,
    x.charged_currency,
    x.delivered,
    x.delivered_currency,
    x.returned,
    x.disputed,
    x.fee_total,
    x.fee_currency,
    x.customer_id,
    x.segment,
    x.is_test,
    x.refs,
    x.flags,
    x.observed_at,
    x.run_id
from tieout.transaction as x
left join tieout.stranger as f
    on f.account_id = x.account_id and f.source_id = x.source_id and f.transaction_id = x.parent_id
where f.transaction_id is null
