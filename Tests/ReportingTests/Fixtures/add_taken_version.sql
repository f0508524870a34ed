-- One row put in: one earlier version of the transaction $1, with its money taken. $2 its raw hash; null: that of the
-- current version, which was read again.
insert into tieout.transaction_history (
    account_id, source_id, resource, transaction_id, run_id, observed_at, superseded_at, request_started_at,
    version_time, state_rank, created_at, updated_at, direction, raw_status, state, money, is_final, charged,
    charged_currency, evidence_pack, evidence_offset, evidence_length, raw_hash, content_hash
)
select
    t.account_id, t.source_id, t.resource, t.transaction_id, t.run_id, t.observed_at - interval '1 hour', t.observed_at,
    t.request_started_at - interval '1 hour', t.version_time - interval '30 minutes', t.state_rank, t.created_at,
    t.updated_at - interval '30 minutes', t.direction, 'SETTLING', 'settling', 'taken', false, t.charged,
    t.charged_currency, 1, 0, 0, coalesce(sha256(convert_to($2, 'UTF8')), t.raw_hash), sha256('\x00')
from tieout.transaction as t
where t.account_id = 1 and t.transaction_id = $1
