-- One row: one calendar as text, a day a line.
select h.calendar, string_agg(h.day::text || ' ' || h.name, chr(10) order by h.day) as body
from tieout.holiday as h
group by h.calendar
order by h.calendar
