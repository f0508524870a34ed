-- One row: one stored payment of source $2 of which a line of a settlement file says that something was refunded, and of
-- which no refund is stored: read again, it may name it. $1 account, $3 lines that became known from then on (null: all).
with line as materialized (
    select distinct u.ref
    from tieout.settlement_line as l
    cross join unnest(l.refs) as u (ref)
    where l.account_id = $1
        and l.source_id = $2
        and l.kind = 'refund'
        and ($3::timestamptz is null or l.observed_at >= $3)
        and u.ref like any (array['book:order=%', '%:transaction=%'])
)

select distinct t.transaction_id
from tieout.transaction as t
cross join unnest(t.refs) as u (ref)
inner join line as l on l.ref = u.ref
left join tieout.transaction as r
    on r.account_id = t.account_id
    and r.source_id = t.source_id
    and r.parent_id = t.transaction_id
    and r.resource = 'refund'
where t.account_id = $1
    and t.source_id = $2
    and t.resource = 'transaction'
    and r.transaction_id is null
    and (select count(*) from line) > 0
order by t.transaction_id
