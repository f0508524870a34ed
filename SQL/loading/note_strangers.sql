-- One row put in: one payment that the provider shows as another account's, unless that is noted. $1 account, $2 source,
-- $3 ids, $4 ledger time now, $5 run.
insert into tieout.stranger (account_id, source_id, transaction_id, observed_at, run_id)
select $1::bigint, $2::text, u.id, $4::timestamptz, $5::bigint
from unnest($3::text[]) as u (id)
on conflict (account_id, source_id, transaction_id) do nothing
