-- One row (of the index): one event that is not valid, or one final version that was superseded: few, and asked for
-- every night. And what a run thought of a feed, beside where the feed stands.

-- Where the feed's data end that a run could not do without: null while the feed is current.
alter table tieout.feed_state add column incomplete_since timestamptz;
-- Every reason, joined by semicolons; no secret, no personal data.
alter table tieout.feed_state add column incomplete_why text;

create index webhook_event_not_valid on tieout.webhook_event (account_id, source_id, run_id) where verdict <> 'valid';
create index transaction_history_final on tieout.transaction_history
    (account_id, source_id, resource, transaction_id) where is_final;
