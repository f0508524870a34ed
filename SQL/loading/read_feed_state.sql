-- One row: since when one feed of one source fails, and what its last attempt met. $1 account, $2 source, $3 feed.
select
    failing_since,
    counters
from tieout.feed_state
where account_id = $1
    and source_id = $2
    and feed = $3
