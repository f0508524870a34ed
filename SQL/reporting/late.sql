-- One row: one record of a provider created before the run's period that became known since the previous report of the job:
-- it is listed once, in the report after it became known.
select t.source_id, t.resource, t.transaction_id
from {past.transaction} t
where t.observed_at > {since_as_of} and t.created_at < {period_from}
  and not exists (
    select 1
    from tieout.transaction_history h
    where h.account_id = t.account_id and h.source_id = t.source_id and h.resource = t.resource
      and h.transaction_id = t.transaction_id and h.observed_at <= {since_as_of}
)
