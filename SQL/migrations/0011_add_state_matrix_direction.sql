-- One row: one combination, with what it means where the customer is paid (direction out), if that is something else: a
-- payout that the book has not seen done is no customer who waits for a credit.
alter table tieout.state_matrix add column verdict_out text collate "C";  -- null: as verdict
