-- One row: a source's resource whose first walk has reached the start, committed with the walk's last rows.
insert into tieout.resource_state (account_id, source_id, resource, covered_from, watermark, backfill_complete)
values ($1, $2, $3, $4, $5, true)
on conflict (account_id, source_id, resource) do update
set
    covered_from = coalesce(resource_state.covered_from, excluded.covered_from),
    watermark = greatest(resource_state.watermark, excluded.watermark),
    backfill_complete = true
