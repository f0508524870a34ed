-- One row: one ISO 4217 currency and the digits behind its point.
select c.code, c.exponent::int as exponent
from tieout.currency as c
