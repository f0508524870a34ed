-- One row: where one feed of one source stands for this run. is_old: its data end (watermark) longer ago than max_age;
-- is_fresh: its silence proves something; is_whole: and its last attempt did not fail. answered_at: when the source last
-- answered at all.
select
    s.account_id,
    f.source_id,
    f.feed,
    f.covered_from,
    f.watermark,
    f.max_age,
    f.failing_since,
    f.failure,
    f.last_success_at,
    f.answered_at,
    f.is_old,
    f.is_fresh,
    f.is_whole,
    f.reason
from run_feed as f
inner join tieout.source as s on s.source_id = f.source_id
