-- One row: one record of the book file in hand that is no order, with the digest of what it says. $1 name of the file.
insert into quarantine_new (source_id, record_id, refs, reason, place, line_no, length, digest)
select
    r.source_id,
    r.order_id,
    r.refs,
    r.reason,
    $1::text || ':' || r.line_no,
    r.line_no,
    r.record_length,
    sha256(convert_to((to_jsonb(f) - 'line_no' - 'record_length')::text, 'UTF8'))
from book_row r
join book_file f on f.line_no = r.line_no
where r.reason is not null
