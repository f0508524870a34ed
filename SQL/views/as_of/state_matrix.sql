-- One row: what one combination of book status, provider money and state means: agree, awaiting, or a rule's id.
select x.book_status, x.money, x.state, x.verdict
from tieout.state_matrix as x
