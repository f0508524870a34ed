-- One row: one break closed since the previous report, in the CSV's order.
select
    c.break_id,
    c.rule,
    c.how,
    left(c.subject, 161) as subject,
    left(c.actor, 81) as actor,
    to_char(c.closed_at at time zone a.zone, 'YYYY-MM-DD HH24:MI') as closed
from {closed} c
join tieout.account a on a.account_id = c.account_id
order by c.rule, c.subject
limit {limit}
