-- One row changed: one break whose record belongs to another payment now; derived, so no event tells of it.
update tieout.break as b
set payment_id = s.payment_id
from run_stand as s
where b.account_id = $1
    and s.rule = b.rule
    and s.subject = b.subject
    and s.payment_id is distinct from b.payment_id
