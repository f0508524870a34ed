-- One value: the text as an exact amount in major units; null where it is no plain number of at most 78 + 36 digits.
-- Exponents are refused: a spreadsheet that wrote one has already dropped digits. Short texts of digits with at most one
-- point between them are told without a regular expression.
case
    when {value} is null then null
    when length({value}) <= 36 and translate({value}, '0123456789', '') in ('', '.')
        and {value} not like '.%' and {value} not like '%.' then {value}::numeric
    when {value} ~ '^[+-]?[0-9]{1,78}([.][0-9]{1,36})?$' then {value}::numeric
end
