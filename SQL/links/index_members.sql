-- The rules ask for the records of one payment; all else reads the whole.
create index on link_member (payment_id);
analyze link_member;
