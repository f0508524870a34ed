-- One row: one order version that was current at as_of.
select
    o.account_id,
    o.source_id,
    o.order_id,
    o.status,
    o.amount,
    o.currency,
    o.created_at,
    o.expires_at,
    o.failed_at,
    o.updated_at,
    o.segment,
    o.version_time
from tieout.book_order o
where o.account_id = {account} and o.observed_at <= {as_of}
union all
select
    h.account_id,
    h.source_id,
    h.order_id,
    h.status,
    h.amount,
    h.currency,
    h.created_at,
    h.expires_at,
    h.failed_at,
    h.updated_at,
    h.segment,
    h.version_time
from tieout.book_order_history h
where h.account_id = {account} and h.observed_at <= {as_of} and h.superseded_at > {as_of}
