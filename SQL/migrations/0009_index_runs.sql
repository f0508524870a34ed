-- One row of either index: which runs wrote the versions in one range of blocks. A run's versions are counted once, at
-- its end, and tables are written in the order of runs: this answers that and costs a write next to nothing.
create index transaction_by_run on tieout.transaction using brin (account_id, run_id);
create index transaction_history_by_run on tieout.transaction_history using brin (account_id, run_id);
