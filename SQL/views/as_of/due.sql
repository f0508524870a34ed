-- One row: when one transaction with money taken is due (the terms decide), and when twice the term is over.
select d.account_id, d.source_id, d.resource, d.transaction_id, d.taken_at, d.due_at, d.twice_at, d.term
from run_due as d
