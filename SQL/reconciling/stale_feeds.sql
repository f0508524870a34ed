-- One row: one feed of a source that is still read and whose data do not reach far enough, or whose last attempt failed.
-- $1 account, $2 as_of.
select
    f.source_id,
    f.feed,
    f.is_fresh,
    coalesce(f.watermark, f.failing_since, $2::timestamptz) as since,
    concat_ws('; ', f.reason, f.failure) as why
from run_feed as f
inner join scope.source as s
    on s.account_id = $1 and s.source_id = f.source_id
-- A draining source has no news: only what its provider says is asked for still.
where not f.is_whole
    and (s.life = 'active' or (s.life = 'draining' and f.feed = 'provider'))
order by f.source_id, f.feed
