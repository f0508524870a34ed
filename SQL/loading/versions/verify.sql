-- One row: how many current versions really carry a row of the file in hand. $1 account.
select count(*) as held
from tieout.{table} o
join {rows} r on {match} and r.line_no = o.line_no
    and r.content_hash = o.content_hash and r.file_digest = o.file_digest and r.run_id = o.run_id
join {fates} f on f.line_no = r.line_no
where o.account_id = $1 and f.fate in ('new', 'changed')
