-- One row put in: one node of account $1, from the versions current now. Events that carry the same references are one
-- node, named by the smallest of them: they can only ever belong together. Payouts join nothing.
insert into link_node (node, member, source_id, record_id, resource, refs)
select
    row_number() over (order by r.member, r.source_id, r.record_id) as node,
    r.member,
    r.source_id,
    r.record_id,
    r.resource,
    r.refs
from (
    select
        'transaction' collate "C" as member,
        t.source_id,
        case t.resource when 'transaction' then t.transaction_id else t.resource || '/' || t.transaction_id end
            collate "C" as record_id,
        t.resource,
        t.refs
    from tieout.transaction as t
    where t.account_id = $1 and t.resource <> 'payout'
    union all
    select 'line' collate "C", l.source_id, l.line_id, '', l.refs
    from tieout.settlement_line as l
    where l.account_id = $1
    union all
    select 'order' collate "C", o.source_id, o.order_id, '', o.refs
    from tieout.book_order as o
    where o.account_id = $1
    union all
    select 'event' collate "C", e.source_id, min(e.event_key), '', e.refs
    from tieout.webhook_event as e
    left join tieout.source as s
        on s.account_id = e.account_id and s.source_id = e.source_id
    where e.account_id = $1
        and (e.verdict = 'valid' or (e.verdict = 'unsigned' and s.declaration ->> 'signature' = 'none'))
        and cardinality(e.refs) > 0
    group by e.source_id, e.refs
) as r
