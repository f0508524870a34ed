-- One row put in: one reference that records of one payment carry. Chain transactions are no matter of any rule: a batched
-- transfer pays many. Limited to the records that linking looked at.
insert into link_key (key, payment_id, spreads)
select tieout.key_of(c.ref), m.payment_id, bool_or(c.ref not like 'chain:tx=%')
from link_claim as c
inner join link_node as n on n.node = c.node
inner join link_member as m
    on m.member = n.member and m.source_id = n.source_id and m.record_id = n.record_id
-- By number, not by text: there are several times as many references as records.
group by tieout.key_of(c.ref), m.payment_id
