-- One row put in: one payment to which a record of the news belonged, or whose references a record of the news has or had.
-- What shares no reference with the news links as it did. $1 account.
insert into run_scope (payment_id)
select m.payment_id
from scope_news as n
inner join tieout.payment_member as m
    on m.account_id = $1 and m.member = n.member and m.source_id = n.source_id and m.record_id = n.record_id
union
select k.payment_id
from (
    select distinct tieout.key_of(tieout.reference_name(u.ref, coalesce(s.space, n.source_id))) as key
    from scope_news as n
    cross join unnest(n.refs) as u (ref)
    left join scope.source as s
        on s.account_id = $1 and s.source_id = n.source_id
) as r
inner join tieout.payment_key as k
    on k.account_id = $1 and k.key = r.key
union
-- A payout is in no payment; the lines that it names, or named, are.
select m.payment_id
from scope_news as n
cross join unnest(n.refs) as u (ref)
inner join tieout.payment_member as m
    on m.account_id = $1
    and m.member = 'transaction'
    and m.source_id = n.source_id
    and m.record_id = 'settlement_line/' || substr(u.ref, strpos(u.ref, '=') + 1)
where n.member = 'transaction' and n.record_id like 'payout/%' and split_part(u.ref, '=', 1) like '%:line'
