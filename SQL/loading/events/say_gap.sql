-- One row: the webhook feed of one source, with what became of a gap in its event list. $1 account, $2 source, $3 the
-- gap in words, $4 since when it stands open (null: it is healed), $5 why it does.
update tieout.feed_state f set
    counters = f.counters || jsonb_build_object('event_gap', $3::text),
    failing_since = coalesce(f.failing_since, $4),
    failure = coalesce(nullif(concat_ws('; ', f.failure, $5::text), ''), f.failure)
where f.account_id = $1 and f.source_id = $2 and f.feed = 'webhook'
