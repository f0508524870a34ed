-- One value: the business day that a moment falls on, for totals, terms and reports. BusinessCalendar says it in Swift.

-- A cut-off after noon ends the business day of its own date (with 17:00 the 3rd lasts from the 2nd, 17:00, to the 3rd, 17:00);
-- one at or before noon ends that of the date before (with 02:00 the 2nd lasts to the 3rd, 02:00).
create function tieout.business_day(moment timestamptz, zone text, cut_off interval) returns date
    language sql immutable parallel safe
    return ((moment at time zone zone)
        - case when cut_off > interval '12 hours' then cut_off - interval '24 hours' else cut_off end)::date;

-- The same of what may be a date without a time, which is kept as its midnight in UTC: a date stays that date everywhere.
create function tieout.business_date(moment timestamptz, zone text, cut_off interval) returns date
    language sql immutable parallel safe
    return case
        when (moment at time zone 'UTC')::time = time '00:00' then (moment at time zone 'UTC')::date
        else tieout.business_day(moment, zone, cut_off)
    end;

comment on column tieout.account.cut_off is
    'local time at which a business day ends: after noon that of its own date, else that of the date before';
