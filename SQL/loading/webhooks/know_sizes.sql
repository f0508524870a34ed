-- One row: none. What the planner must know of tables that a load has filled since anybody looked: without it, it would
-- take the source for one row and compare all with all. Only the columns of the keys: all of them cost ten times that. The
-- transaction says how many rows are looked at.
analyze tieout.webhook_event (account_id, source_id, event_key, transaction_id),
    tieout.webhook_delivery (account_id, source_id, received_at, event_key)
