-- One row: where the webhook feed of one source stands after a file. $1 account, $2 source, $3 ledger time,
-- $4 first and $5 last moment covered, $6 events that are new, $7 deliveries, $8 of them no evidence.
update tieout.feed_state f set
    covered_from = least(f.covered_from, $4),
    watermark = greatest(f.watermark, $5),
    last_attempt_at = $3,
    last_success_at = $3,
    failing_since = null,
    failure = null,
    backfill_complete = true,
    counters = jsonb_build_object('new', $6::bigint, 'deliveries', $7::bigint, 'not_evidence', $8::bigint)
where f.account_id = $1 and f.source_id = $2 and f.feed = 'webhook'
