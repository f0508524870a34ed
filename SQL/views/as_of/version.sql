-- One row: one earlier version of one transaction.
-- As of $2: the versions superseded by then.
select
    h.account_id,
    h.source_id,
    h.resource,
    h.transaction_id,
    h.raw_status,
    h.state,
    h.state_rank,
    h.money,
    h.is_final,
    h.version_time,
    h.raw_hash,
    h.observed_at
from tieout.transaction_history as h
where h.observed_at <= $2 and h.superseded_at <= $2
