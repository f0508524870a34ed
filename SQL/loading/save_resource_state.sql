-- One row: how far one resource of one source is proven after this run. The watermark never goes back. $9 how
-- many rows of it are held (null: it has none of its own).
insert into tieout.resource_state (
    account_id, source_id, resource, covered_from, watermark, backfill_complete, last_success_at, state, records
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
on conflict (account_id, source_id, resource) do update
set
    covered_from = least(resource_state.covered_from, excluded.covered_from),
    watermark = greatest(resource_state.watermark, excluded.watermark),
    backfill_complete = resource_state.backfill_complete or excluded.backfill_complete,
    last_success_at = coalesce(excluded.last_success_at, resource_state.last_success_at),
    state = excluded.state,
    records = excluded.records
