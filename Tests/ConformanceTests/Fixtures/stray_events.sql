-- One row: one proven event that shares no reference with a transaction or an order.
select e.event_key
from tieout.webhook_event as e
where e.verdict = 'valid'
    and not e.is_test
    and e.raw_status is not null
    and not exists (
        select
        from unnest(e.refs) as mine (ref)
        inner join (
            select unnest(t.refs) as ref from tieout.transaction as t
            union
            select unnest(o.refs) from tieout.book_order as o
        ) as theirs on theirs.ref = mine.ref
    )
