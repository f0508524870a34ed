-- One row: where one feed stood when the run was first reported, from the picture the run kept of it.
select
    r.account_id,
    f.*
from tieout.run r
cross join lateral jsonb_to_recordset(r.summary -> 'feeds') as f (
    source_id text, feed text, covered_from timestamptz, watermark timestamptz, last_attempt_at timestamptz,
    last_success_at timestamptz, failing_since timestamptz, failure text, incomplete_since timestamptz,
    incomplete_why text, backfill_complete boolean,
    late_arrivals bigint, records bigint, counters jsonb)
where r.account_id = {account} and r.run_id = {run}
