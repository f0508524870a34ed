-- One value: a day or a time as files write them, as RFC 3339 text. What has no zone is UTC; a day is its midnight.
-- Anything else stays as it is.
case
    when {value} ~ '^[0-9]{4}([-/])[0-9]{2}\1[0-9]{2}$' then replace({value}, '/', '-') || 'T00:00:00Z'
    when {value} ~ '^[0-9]{2}[.][0-9]{2}[.][0-9]{4}$'
        then substr({value}, 7) || '-' || substr({value}, 4, 2) || '-' || substr({value}, 1, 2) || 'T00:00:00Z'
    when {value} ~ '^[0-9]{4}([-/])[0-9]{2}\1[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?$'
        then replace({value}, '/', '-') || 'Z'
    when {value} ~ '^[0-9]{4}([-/])[0-9]{2}\1[0-9]{2}[T ][0-9]{2}:[0-9]{2}$' then replace({value}, '/', '-') || ':00Z'
    else {value}
end
