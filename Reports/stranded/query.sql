-- One row: one thing that is open at a retired source, of which nobody will learn more.
select
    x.source_id as source,
    x.what,
    x.subject,
    x.says,
    x.order_id,
    x.transaction_id,
    x.payment_id,
    x.break_id,
    x.since,
    x.amount,
    x.currency
from {stranded} x
