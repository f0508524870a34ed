-- One row put in: one record that became known, changed or was superseded after $2. $1 account.
insert into scope_news (member, source_id, record_id, refs)
select
    'transaction' collate "C",
    t.source_id,
    case t.resource when 'transaction' then t.transaction_id else t.resource || '/' || t.transaction_id end,
    t.refs
from (
    select x.source_id, x.resource, x.transaction_id, x.refs
    from tieout.transaction as x
    where x.account_id = $1 and x.observed_at > $2
    union all
    select x.source_id, x.resource, x.transaction_id, x.refs
    from tieout.transaction_history as x
    where x.account_id = $1 and x.superseded_at > $2
) as t
union all
-- What its provider does not know any more, or knows again.
select 'transaction', t.source_id,
    case t.resource when 'transaction' then t.transaction_id else t.resource || '/' || t.transaction_id end, t.refs
from tieout.vanished as v
inner join tieout.transaction as t
    on t.account_id = v.account_id
    and t.source_id = v.source_id
    and t.resource = v.resource
    and t.transaction_id = v.transaction_id
where v.account_id = $1 and (v.since > $2 or v.returned_at > $2) and t.observed_at <= $2
union all
select 'order', o.source_id, o.order_id, o.refs
from tieout.book_order as o
where o.account_id = $1 and o.observed_at > $2
union all
select 'order', o.source_id, o.order_id, o.refs
from tieout.book_order_history as o
where o.account_id = $1 and o.superseded_at > $2
union all
select 'line', l.source_id, l.line_id, l.refs
from tieout.settlement_line as l
where l.account_id = $1 and l.observed_at > $2
union all
select 'line', l.source_id, l.line_id, l.refs
from tieout.settlement_line_history as l
where l.account_id = $1 and l.superseded_at > $2
union all
-- A line of a file that its provider shows too: the provider's copy takes its place.
select 'line', l.source_id, l.line_id, l.refs
from (
    select x.source_id, x.transaction_id
    from tieout.transaction as x
    where x.account_id = $1 and x.observed_at > $2 and x.resource = 'settlement_line'
) as t
inner join tieout.settlement_line as l
    on l.account_id = $1 and l.source_id = t.source_id and l.line_id = t.transaction_id
where l.observed_at <= $2
union all
-- What speaks of a payment that turned out to be another account's.
select 'event', e.source_id, e.event_key, e.refs
from tieout.stranger as f
inner join tieout.webhook_event as e
    on e.account_id = f.account_id and e.source_id = f.source_id and e.transaction_id = f.transaction_id
where f.account_id = $1 and f.observed_at > $2 and e.observed_at <= $2
union all
select 'transaction', t.source_id, t.resource || '/' || t.transaction_id, t.refs
from tieout.stranger as f
inner join tieout.transaction as t
    on t.account_id = f.account_id and t.source_id = f.source_id and t.parent_id = f.transaction_id
where f.account_id = $1 and f.observed_at > $2 and t.observed_at <= $2
union all
select 'event', e.source_id, e.event_key, e.refs
from tieout.webhook_event as e
where e.account_id = $1 and e.observed_at > $2
union all
select 'event', e.source_id, e.event_key, e.refs
from tieout.webhook_event as e
where e.account_id = $1 and e.recounted_at > $2 and e.observed_at <= $2
