-- One value: a reference, kind=value in Unicode's composed form; null where the value names nothing.
case
    when lower(ltrim({value})) not in ('', '0', '0x', '0x0', 'null', 'nil', 'none', 'undefined')
        and {value} not like '0001-01-01%' and {value} not like '1970-01-01T00:00:00%' then {kind} || '='
            || case when octet_length({value}) = char_length({value}) then {value} else normalize({value}, nfc) end
end
