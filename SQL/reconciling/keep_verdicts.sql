-- One row changed: one feed that is incomplete now, for another reason, or no longer. $1 account, $2 as_of.
update tieout.feed_state as k
set
    incomplete_since = v.incomplete_since,
    incomplete_why = v.incomplete_why
from (
    select
        f.source_id,
        f.feed,
        case when not f.is_whole then coalesce(f.watermark, f.failing_since, k.incomplete_since, $2::timestamptz) end
            as incomplete_since,
        case when not f.is_whole then concat_ws('; ', f.reason, f.failure) end as incomplete_why
    from run_feed as f
    inner join tieout.feed_state as k
        on k.account_id = $1 and k.source_id = f.source_id and k.feed = f.feed
) as v
where k.account_id = $1
    and k.source_id = v.source_id
    and k.feed = v.feed
    and (k.incomplete_since, k.incomplete_why) is distinct from (v.incomplete_since, v.incomplete_why)
