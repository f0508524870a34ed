-- One row: one record's membership in a payment.
select m.account_id, m.member, m.source_id, m.record_id, m.payment_id
from tieout.payment_member as m
