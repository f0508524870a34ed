-- One row changed: each source, which says since when it leads the life it leads. What is created at a draining one since
-- then was not expected any more.
alter table tieout.source add column life_since timestamptz;      -- null: since before this was noted

-- Test data are few, and each report counts them.
create index transaction_test on tieout.transaction (account_id, source_id) where is_test;
create index webhook_event_test on tieout.webhook_event (account_id, source_id) where is_test;
