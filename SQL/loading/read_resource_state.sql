-- One row: how far one resource of one source is proven.
select
    watermark,
    backfill_complete,
    last_success_at,
    state
from tieout.resource_state
where account_id = $1
    and source_id = $2
    and resource = $3
