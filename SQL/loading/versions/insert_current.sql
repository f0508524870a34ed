-- One row: one record as the file in hand has it, new or changed.
insert into tieout.{table} ({columns})
select {row_columns}
from {rows} r
join {fates} f on f.line_no = r.line_no
where f.fate in ('new', 'changed')
