-- One row: one break that was closed since the previous report of the same job: healed by the data, resolved or
-- written off by a person.
select
    b.*,
    e.event as how,
    e.at as closed_at,
    e.actor,
    e.reason_digest
from {breaks} b
join tieout.break_event e on e.account_id = b.account_id and e.seq = b.version
where b.state in ('resolved', 'written_off') and b.version > {since_head}
