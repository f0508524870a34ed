-- One row: one currency and the number of digits behind its point.
select c.code, c.exponent::bigint as exponent
from tieout.currency c
order by c.code
