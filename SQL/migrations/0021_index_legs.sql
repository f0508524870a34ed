-- Refunds, disputes, settlement lines and payouts are few beside payments, or not there at all: what is asked of them must
-- not cost what payments cost.
create index transaction_leg on tieout.transaction (account_id, resource) where resource <> 'transaction';
create index transaction_history_leg on tieout.transaction_history (account_id, resource)
    where resource <> 'transaction';

-- Which payout names a line.
create index transaction_payout_refs on tieout.transaction using gin (refs) where resource = 'payout';
