-- One row: one spell in which a provider did not know a stored record, as far as it was known at $2.
select
    x.account_id,
    x.source_id,
    x.resource,
    x.transaction_id,
    x.since,
    case when x.returned_at <= $2 then x.returned_at end as returned_at,
    x.run_id
from tieout.vanished as x
where x.since <= $2
