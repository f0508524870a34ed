-- One row: the feed of one source that a query has shown rows of: it is complete up to the query's snapshot, whether or not
-- this reading brought any. $1 account, $2 feed, $3 digest of the query, $4 ledger time of the snapshot.
update tieout.feed_state f set
    watermark = greatest(f.watermark, $4),
    last_attempt_at = $4,
    last_success_at = $4,
    failing_since = null,
    failure = null
from tieout.query_position p
where p.account_id = $1 and p.feed = $2 and p.digest = $3
    and f.account_id = p.account_id and f.feed = p.feed and f.source_id = any(p.sources)
