-- One row: the state matrix as text, a combination a line.
select
    string_agg(
        concat_ws(',', x.book_status, x.money, x.state, x.verdict, coalesce(x.verdict_out, '')),
        chr(10) order by x.book_status, x.money, x.state
    ) as body
from tieout.state_matrix as x
having count(*) > 0
