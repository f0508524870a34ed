-- One row: exact bytes that no key has proven in time. They go; digests, verdict and fingerprint stay with event and
-- delivery. $1 account, $2 ledger time.
delete from tieout.webhook_pending p
where p.account_id = $1 and p.expires_at <= $2
