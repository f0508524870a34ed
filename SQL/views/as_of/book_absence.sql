-- One row: one spell in which a complete book lacked an order, as far as it was known at $2.
select
    x.account_id,
    x.order_id,
    x.observed_at,
    x.source_id,
    x.exported_at,
    x.run_id,
    x.file_digest,
    case when x.returned_at <= $2 then x.returned_at end as returned_at,
    x.returned_run_id
from tieout.book_absence as x
where x.observed_at <= $2
