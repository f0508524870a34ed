-- One row: one status that a source announces by an event. origin: the first source of its line.
select s.account_id, s.source_id, s.origin, u.raw_status
from scope.source as s
cross join lateral jsonb_array_elements_text(
    case jsonb_typeof(s.declaration -> 'event_states') when 'array' then s.declaration -> 'event_states'
        else '[]' end
) as u (raw_status)
