-- One row: one record that the file in hand lists no longer. $1 account, $2 source, $3 file name.
delete from tieout.settlement_listing l
where l.account_id = $1 and l.source_id = $2 and l.file_name = $3
    and not exists (select 1 from settlement_line_row r where l.record = 'line' and r.line_id = l.record_id)
    and not exists (select 1 from payout_row r where l.record = 'payout' and r.payout_id = l.record_id)
