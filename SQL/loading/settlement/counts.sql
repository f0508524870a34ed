-- One row: what became of the rows of the settlement file in hand.
with made as (
    select
        f.fate,
        r.flags && array['type_unknown', 'status_unknown'] collate "C" as is_unknown,
        r.settled_at as dated_at,
        greatest(d.settled_to, r.happened_at) as newest_at
    from settlement_line_row r
    join settlement_line_fate f on f.line_no = r.line_no
    -- A date speaks of its whole day.
    cross join lateral (
        select case
            when r.settled_at = date_trunc('day', r.settled_at, 'UTC') then r.settled_at + interval '24 hours'
            else r.settled_at
        end as settled_to
    ) d
    union all
    select f.fate, false, r.paid_at, r.paid_at + interval '24 hours'
    from payout_row r
    join payout_fate f on f.line_no = r.line_no
)

select
    count(*) as good,
    count(*) filter (where m.fate = 'new') as new,
    count(*) filter (where m.fate = 'changed') as changed,
    count(*) filter (where m.fate = 'late') as late,
    count(*) filter (where m.fate = 'unchanged') as unchanged,
    count(*) filter (where m.fate = 'duplicate') as duplicates,
    count(*) filter (where m.is_unknown) as unknown_statuses,
    min(m.dated_at) as covers_from,
    max(m.newest_at) as newest
from made m
