-- One row: one charge created within the run's period, or before it and known only since the previous report: what fees are
-- counted of.
select c.*
from {scope.charge} c
where c.created_at >= coalesce({period_from}, '-infinity') and c.created_at < coalesce({period_to}, 'infinity')
union all
select c.*
from {late} l
join {scope.charge} c on c.source_id = l.source_id and c.resource = l.resource and c.transaction_id = l.transaction_id
