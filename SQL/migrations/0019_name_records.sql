-- One value: which resource a record name belongs to, and the record's own id. Records other than payments are named
-- resource/id wherever one column names records of several resources: in subjects, in members, and in what an event is
-- about.

-- Which resource a record's name belongs to.
create function tieout.resource_of(record text) returns text
    language sql immutable parallel safe
    return case
        when split_part(record, '/', 1) in ('refund', 'dispute', 'settlement_line', 'payout', 'order')
            and strpos(record, '/') > 0 then split_part(record, '/', 1)
        else 'transaction'
    end;

-- The record's own id.
create function tieout.record_of(record text) returns text
    language sql immutable parallel safe
    return case
        when split_part(record, '/', 1) in ('refund', 'dispute', 'settlement_line', 'payout', 'order')
            and strpos(record, '/') > 0 then substr(record, strpos(record, '/') + 1)
        else record
    end;
