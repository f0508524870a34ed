-- One value: the text as a moment; null where it is no RFC 3339 time with an offset, or a day that no month has.
-- Digits finer than a microsecond are cut, not rounded. Most times are written in UTC in one of three lengths: those are
-- told without a regular expression, which takes twice as long.
case
    when {value} is null then null
    when length({value}) in (20, 24, 27)
        and translate({value}, '0123456789', '') in ('--T::Z', '--T::.Z')
        and {value} like '____-__-__T__:__:__%Z'
        and (length({value}) = 20 or substr({value}, 20, 1) = '.')
        and substr({value}, 1, 4) collate "C" > '0000'
        and substr({value}, 6, 2) collate "C" between '01' and '12'
        and substr({value}, 9, 2) collate "C" between '01' and '28'
        and substr({value}, 12, 2) collate "C" <= '23'
        and substr({value}, 15, 2) collate "C" <= '59'
        and substr({value}, 18, 2) collate "C" <= '59'
        then {value}::timestamptz
    when {value} !~ '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[Tt ]'
        '([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)([.][0-9]{1,9})?'
        '([Zz]|[+-](0[0-9]|1[0-4])(:?[0-5][0-9])?)$'
        or {value} like '0000%' then null
    when substr({value}, 9, 2) > '28'
        and substr({value}, 9, 2)::int
            > extract(day from (substr({value}, 1, 8) || '01')::date + interval '1 month' - interval '1 day') then null
    else regexp_replace({value}, '([.][0-9]{6})[0-9]+', '\1')::timestamptz
end
