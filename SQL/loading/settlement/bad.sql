-- One row: one record of the settlement file in hand that cannot be taken in, with the digest of what it says. $1 name of the
-- file.
insert into quarantine_new (source_id, record_id, refs, reason, place, line_no, length, digest)
select
    r.source_id,
    r.record_id,
    r.refs,
    r.reason,
    $1::text || ':' || r.line_no,
    r.line_no,
    r.record_length,
    sha256(convert_to((to_jsonb(f) - 'line_no' - 'record_length' - 'block')::text, 'UTF8'))
from (
    select l.source_id, l.line_id as record_id, l.refs, l.reason, l.line_no, l.record_length
    from settlement_line_row l
    where l.reason is not null
    union all
    select p.source_id, 'payout/' || p.payout_id, p.refs, p.reason, p.line_no, p.record_length
    from payout_row p
    where p.reason is not null
) r
join settlement_file f on f.line_no = r.line_no
