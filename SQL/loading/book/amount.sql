-- One value: the text as an exact amount in major units; null where it is no plain number of at most 78 + 36 digits.
-- Exponents are refused: a spreadsheet that wrote one has already dropped digits.
case when {value} ~ '^[+-]?[0-9]{1,78}([.][0-9]{1,36})?$' then {value}::numeric end
