-- One row: one record's membership in a payment, as the newest linking found it. A report of an older run links anew, as
-- of that run, and reads the temporary table link_member instead.
select m.account_id, m.member, m.source_id, m.record_id, m.payment_id
from tieout.payment_member m
where m.account_id = {account}
