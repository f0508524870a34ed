-- One row of either index: one line of a payout (its file comes corrected: which lines are held?), one flag of payments. Each
-- run asks whether any payment carries a flag: where none does, all of the source's would be read to find out, and few rows of
-- most sources carry one.
create index settlement_line_by_payout on tieout.settlement_line (account_id, source_id, payout_id);

create index transaction_flagged on tieout.transaction using gin (flags) where resource = 'transaction' and flags <> '{}';
