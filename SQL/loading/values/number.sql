-- One value: the text as a plain number, that is with a point before its decimals and nothing between its thousands; null
-- where it is none in the declared format. r.decimal is the declared mark before decimals; where nobody declared any,
-- only plain numbers are numbers, since 1,234 has two meanings.
case
    when {value} is null or r.decimal is null then {value}
    when r.decimal = ','
        and {value} ~ '^[+-]?([0-9]+|[0-9]{1,3}(([.][0-9]{3})+|([ ''][0-9]{3})+))(,[0-9]+)?$'
        then translate({value}, ',. ''', '.')
    when r.decimal = '.'
        and {value} ~ '^[+-]?([0-9]+|[0-9]{1,3}((,[0-9]{3})+|([ ''][0-9]{3})+))([.][0-9]+)?$'
        then translate({value}, ', ''', '')
end
