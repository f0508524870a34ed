-- One row: one transaction whose events the batch in hand may have put out of order.
-- $1 account, $2 source, $3 transactions.
insert into tieout.webhook_unordered (account_id, source_id, transaction_id)
select $1, $2, t.transaction_id
from unnest($3::text[]) as t (transaction_id)
on conflict do nothing
