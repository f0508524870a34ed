-- One row: one version that was never current: it came late, or the file in hand holds a newer one. $1 ledger time.
insert into tieout.{table}_history ({columns}, superseded_at)
select {row_columns}, $1
from {rows} r
join {fates} f on f.line_no = r.line_no
where f.fate = 'late'
on conflict do nothing
