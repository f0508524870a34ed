-- One row: the feed of one source that a query has shown rows of, and that could not be read now. $1 account, $2 feed,
-- $3 digest of the query, $4 ledger time, $5 why.
update tieout.feed_state f set
    last_attempt_at = $4,
    failing_since = coalesce(f.failing_since, $4),
    failure = $5
from tieout.query_position p
where p.account_id = $1 and p.feed = $2 and p.digest = $3
    and f.account_id = p.account_id and f.feed = p.feed and f.source_id = any(p.sources)
