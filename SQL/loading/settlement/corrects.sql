-- One row: whether the file in hand is a version of what was listed under its name, which only its base name says: nothing
-- was listed yet, or it lists one of these records again. $1 account, $2 source, $3 name.
select count(*) = 0 or coalesce(bool_or(l.is_met), false) as corrects
from (
    select
        (n.record = 'line' and exists (select 1 from settlement_line_row r where r.line_id = n.record_id))
            or (n.record = 'payout' and exists (select 1 from payout_row r where r.payout_id = n.record_id)) as is_met
    from tieout.settlement_listing n
    where n.account_id = $1 and n.source_id = $2 and n.file_name = $3
) l
