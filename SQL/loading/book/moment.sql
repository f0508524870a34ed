-- One value: the text as a moment; null where it is no RFC 3339 time with an offset, or a day that no month has.
-- Digits finer than a microsecond are cut, not rounded.
case
    when {value} !~ '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[Tt ]'
        '([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)([.][0-9]{1,9})?'
        '([Zz]|[+-](0[0-9]|1[0-4])(:?[0-5][0-9])?)$'
        or {value} like '0000%' then null
    when substr({value}, 9, 2) > '28'
        and substr({value}, 9, 2)::int
            > extract(day from (substr({value}, 1, 8) || '01')::date + interval '1 month' - interval '1 day') then null
    else regexp_replace({value}, '([.][0-9]{6})[0-9]+', '\1')::timestamptz
end
