-- One row: what one combination of direction, book status, provider money and state means: agree, awaiting, or a rule's
-- id; and why.
select
    x.book_status,
    x.money,
    x.state,
    d.direction,
    case d.direction when 'out' then coalesce(x.verdict_out, x.verdict) else x.verdict end as verdict,
    x.why
from tieout.state_matrix as x
cross join (values ('in' collate "C"), ('out' collate "C")) as d (direction)
