-- One row: none. What the planner must know of transactions that a walk has just brought: without it, it would take the
-- source for one row and compare all with all. Only the columns of the key: all of them cost ten times that. The
-- transaction says how many rows are looked at.
analyze tieout.transaction (account_id, source_id, resource, transaction_id)
