-- One row: one record's membership in a payment, computed by this run as of $2 (temporary table link_member).
select m.account_id, m.member, m.source_id, m.record_id, m.payment_id
from link_member as m
