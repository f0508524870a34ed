-- The rules ask for the records of one payment; all else reads the whole. The key lets the planner see that a record has
-- one membership at most, and leave it out where nobody asks for the payment.
create unique index on link_member (account_id, member, source_id, record_id);
create index on link_member (payment_id);
analyze link_member;
