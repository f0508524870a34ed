-- One row put in: the values that transactions of one payment have in columns which a rule compares across payments.
-- {name} the columns' names, {values} their values as one text, {present} that each has one.
insert into link_key (key, payment_id, spreads)
select tieout.key_of(d.name), d.payment_id, true
from (
    select distinct {name} || {values} as name, m.payment_id
    from tieout.transaction as x
    inner join link_member as m
        on m.member = 'transaction'
        and m.source_id = x.source_id
        and m.record_id = case x.resource when 'transaction' then x.transaction_id
            else x.resource || '/' || x.transaction_id end
    where x.account_id = $1 and {present}
) as d
