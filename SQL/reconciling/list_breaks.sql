-- One row: one break of account $1 in one of the states $2 and severities $3; $4 rule and $5 source, '' for any; $6 only
-- headlines; at most $7.
select b.*
from tieout.break as b
where b.account_id = $1
    and b.state = any($2::text[])
    and b.severity = any($3::text[])
    and $4::text in ('', b.rule)
    and $5::text in ('', coalesce(b.source_id, ''))
    and not ($6 and b.primary_break_id is not null)
order by array_position($3::text[], b.severity::text), b.rule, b.subject
limit $7
