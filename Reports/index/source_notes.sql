-- One row: one source of which there is something to say besides how far it reaches: test data that are ignored, rows of a
-- draining one, what is stranded at a retired one.
select
    left(n.source_id, 161) as source,
    n.life,
    to_char(n.life_since at time zone a.zone, 'YYYY-MM-DD HH24:MI') as life_since,
    n.test_rows,
    n.test_events,
    coalesce(n.new_rows, 0) as new_rows,
    to_char(n.newest_at at time zone a.zone, 'YYYY-MM-DD HH24:MI') as newest_at,
    coalesce(n.stranded, 0) as stranded
from {source_notes} n
join tieout.account a on a.account_id = n.account_id
where n.test_rows > 0 or n.test_events > 0 or n.life <> 'active'
order by n.source_id
