-- One row: one record that the file in hand lists. $1 account, $2 source, $3 file name.
insert into tieout.settlement_listing (account_id, source_id, record, record_id, file_name)
select $1, $2, u.record, u.record_id, $3
from (
    select distinct 'line' as record, r.line_id as record_id
    from settlement_line_row r
    where r.reason is null
    union all
    select distinct 'payout', r.payout_id
    from payout_row r
    where r.reason is null
) u
on conflict do nothing
