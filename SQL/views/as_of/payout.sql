-- One row: one version of one payout of a settlement file, the one that was current at $2.
select
    x.account_id,
    x.source_id,
    x.payout_id,
    x.run_id,
    x.observed_at,
    x.request_started_at,
    x.version_time,
    x.state_rank,
    x.amount,
    x.currency,
    x.paid_at,
    x.items,
    x.gross_total,
    x.fee_total,
    x.refs,
    x.flags,
    x.file_name,
    x.file_digest,
    x.line_no,
    x.content_hash
from {version}
