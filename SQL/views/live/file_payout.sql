-- One row: one payout that the head of a settlement file states, in its current version.
select
    x.account_id,
    x.source_id,
    x.payout_id,
    x.amount,
    x.currency,
    x.paid_at,
    x.items,
    x.gross_total,
    x.fee_total,
    x.refs,
    x.flags,
    x.file_name,
    x.line_no,
    x.observed_at,
    x.run_id
from tieout.payout as x
