-- One row: what became of the rows of the book file in hand.
select
    count(*) as good,
    count(*) filter (where f.fate = 'new') as new,
    count(*) filter (where f.fate = 'changed') as changed,
    count(*) filter (where f.fate = 'late') as late,
    count(*) filter (where f.fate = 'unchanged') as unchanged,
    count(*) filter (where f.fate = 'duplicate') as duplicates,
    count(*) filter (where r.state_rank = 0) as unknown_statuses,
    min(r.created_at) as covers_from,
    max(greatest(r.created_at, r.updated_at, r.paid_at, r.credited_at, r.failed_at)) as newest
from book_fate f
join book_row r on r.line_no = f.line_no
