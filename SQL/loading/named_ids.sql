-- One row: one id of resource $3 that an order, a valid event, another record or a line of a settlement file of the source
-- names by a reference of one of the kinds $4, of which nothing is stored or waits in quarantine, and which is not
-- known as another account's. $1 account, $2 source,
-- $5 only what became known from then on (null: all), $6 whether unsigned events are evidence, $7 whether the reader can be
-- asked by the order. A line's own id is often not the one that the provider is asked by: one that names an order leads to
-- its payment where the reader takes orders, and nowhere new where the order has a record of the resource already.
with line as materialized (
    select l.line_id, l.refs
    from tieout.settlement_line as l
    where l.account_id = $1
        and l.source_id = $2
        and ($5::timestamptz is null or l.observed_at >= $5)
),

-- Asked only where there are lines.
known_order as (
    select distinct u.ref
    from tieout.transaction as t
    cross join unnest(t.refs) as u (ref)
    where t.account_id = $1
        and t.source_id = $2
        and t.resource = $3
        and u.ref like 'book:order=%'
        and not $7
        and (select count(*) from line) > 0
),

led as (
    select distinct l.line_id
    from line as l
    cross join unnest(l.refs) as u (ref)
    left join known_order as k on k.ref = u.ref
    where u.ref like 'book:order=%' and ($7 or k.ref is not null)
),

named as (
    select o.refs
    from tieout.book_order as o
    where o.account_id = $1 and o.source_id = $2 and ($5::timestamptz is null or o.observed_at >= $5)
    union all
    select e.refs
    from tieout.webhook_event as e
    where e.account_id = $1
        and e.source_id = $2
        and (e.verdict = 'valid' or (e.verdict = 'unsigned' and $6))
        and ($5::timestamptz is null or e.observed_at >= $5)
    union all
    select t.refs
    from tieout.transaction as t
    where t.account_id = $1
        and t.source_id = $2
        and t.resource <> $3
        -- Each branch by a partial index: what payments name is asked for other resources only.
        and t.resource <> 'transaction'
        and ($5::timestamptz is null or t.observed_at >= $5)
    union all
    select t.refs
    from tieout.transaction as t
    where t.account_id = $1
        and t.source_id = $2
        and t.resource = 'transaction'
        and $3 <> 'transaction'
        and ($5::timestamptz is null or t.observed_at >= $5)
    union all
    -- A record of the resource itself names another one only where it is about it.
    select t.refs
    from tieout.transaction as t
    where t.account_id = $1
        and t.source_id = $2
        and t.resource = $3
        and t.parent_id is not null
        and ($5::timestamptz is null or t.observed_at >= $5)
    union all
    select l.refs
    from line as l
    left join led as d on d.line_id = l.line_id
    where d.line_id is null
),

id as (
    select distinct substr(u.ref, strpos(u.ref, '=') + 1) collate "C" as id
    from named
    cross join unnest(named.refs) as u (ref)
    where split_part(u.ref, '=', 1) = any($4)
)

select id.id
from id
left join tieout.transaction as t
    on t.account_id = $1 and t.source_id = $2 and t.resource = $3 and t.transaction_id = id.id
left join tieout.quarantine as q
    on q.account_id = $1
    and q.source_id = $2
    and q.feed = 'provider'
    and q.state = 'open'
    and q.record_id = case $3 when 'transaction' then id.id else $3 || '/' || id.id end
left join tieout.stranger as f
    on f.account_id = $1 and f.source_id = $2 and $3 = 'transaction' and f.transaction_id = id.id
where t.transaction_id is null and q.record_id is null and f.transaction_id is null
order by id.id
