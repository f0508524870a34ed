-- One row: one feed of one source, as the run left it; what needs attention first.
select
    left(f.source_id, 161) as source,
    f.provider,
    f.environment,
    f.life,
    f.feed,
    f.state,
    to_char(f.covered_from at time zone a.zone, 'YYYY-MM-DD HH24:MI') as covered_from,
    to_char(f.watermark at time zone a.zone, 'YYYY-MM-DD HH24:MI') as watermark,
    to_char(f.last_success_at at time zone a.zone, 'YYYY-MM-DD HH24:MI') as last_success,
    to_char(f.failing_since at time zone a.zone, 'YYYY-MM-DD HH24:MI') as failing_since,
    to_char(f.incomplete_since at time zone a.zone, 'YYYY-MM-DD HH24:MI') as incomplete_since,
    f.watermark as watermark_at,
    f.failing_since as failing_at,
    f.incomplete_since as incomplete_at,
    left(f.why, 241) as failure,
    f.backfill_complete,
    f.late_arrivals,
    f.records
from {feeds} f
join tieout.account a on a.account_id = f.account_id
order by
    case f.state when 'failing' then 1 when 'never read' then 2 when 'stale' then 3 when 'silent' then 4 when 'backfilling' then 5
        else 6 end,
    f.source_id,
    f.feed
