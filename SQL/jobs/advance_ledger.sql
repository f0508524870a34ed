-- One row: the account whose ledger time moved to $2; no row where it already stands there or later.
update tieout.account
set last_ledger_time = $2
where account_id = $1
    and (last_ledger_time is null or last_ledger_time < $2)
returning account_id
