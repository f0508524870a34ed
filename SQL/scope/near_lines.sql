-- One row put in: one line of a settlement file whose record came into scope in round $2. $1 account.
insert into near_settlement_line
select l.*
from scope_record as r
inner join tieout.settlement_line as l
    on l.account_id = $1 and l.source_id = r.source_id and l.line_id = r.record_id
where r.member = 'line' and r.round = $2
