-- One row: one of the worst standing breaks of one rule. Only these get their age worked out.
select b.*
from {every_break} b
where b.rule = {rule} and b.state in ('open', 'acknowledged')
order by
    case b.severity when 'critical' then 1 when 'high' then 2 when 'medium' then 3 when 'low' then 4 else 5 end,
    b.primary_break_id is not null,
    b.at_risk desc,
    case when b.is_reopened then b.opened_at else coalesce(b.due_at, b.event_at, b.opened_at) end,
    b.subject collate "C"
limit {limit}
