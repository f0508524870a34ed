-- One row: one line of a payout that the file in hand states whole (its rows add up to its head) and that is not among them:
-- the same transfer came again, corrected, under another name. Superseded, and kept. $1 account, $2 source, $3 ledger time.
with gone as (
    delete from tieout.settlement_line o
    using payout_row p
    where p.reason is null and p.flags = '{}'
        and o.account_id = $1 and o.source_id = $2 and o.payout_id = p.payout_id
        and o.version_time <= p.version_time
        and not exists (select 1 from settlement_line_row r where r.line_id = o.line_id)
    returning o.*
),

unlisted as (
    delete from tieout.settlement_listing l
    using gone g
    where l.account_id = g.account_id and l.source_id = g.source_id and l.record = 'line' and l.record_id = g.line_id
)

insert into tieout.settlement_line_history ({columns}, superseded_at)
select {row_columns}, $3
from gone r
on conflict do nothing
