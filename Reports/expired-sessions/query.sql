-- One row: one session or order that lapsed unpaid.
select
    x.source_id as source,
    x.order_id,
    x.transaction_id,
    x.says,
    x.break_id,
    x.book_status,
    x.provider_status,
    x.created_at,
    x.lapsed_at,
    x.amount,
    x.currency,
    x.segment
from {abandoned} x
