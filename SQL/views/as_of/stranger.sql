-- One row: one payment that was known as another account's at $2.
select
    x.account_id,
    x.source_id,
    x.transaction_id,
    x.observed_at,
    x.run_id
from tieout.stranger as x
where x.observed_at <= $2
