-- One row: one id of resource $3 that an order, a valid event or another record of the source names by a reference of one
-- of the kinds $4, and of which nothing is stored or waits in quarantine. $1 account, $2 source, $5 only what became known from then on (null:
-- all), $6 whether unsigned events are evidence.
with named as (
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
        and ($5::timestamptz is null or t.observed_at >= $5)
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
    and q.record_id = id.id
where t.transaction_id is null and q.record_id is null
order by id.id
