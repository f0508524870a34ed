-- One row: what one source shows that enters no total and no match, or that was not to be expected of it. test_rows and
-- test_events: test data, ignored. new_rows: of a draining source, transactions created since it drains (else null).
-- stranded: of a retired one, what is open and that nobody reads any more (else null). All as known at as_of.
select
    s.account_id,
    s.source_id,
    s.life,
    s.life_since,
    coalesce(t.records, 0) as test_rows,
    coalesce(e.records, 0) as test_events,
    case s.life when 'draining' then coalesce(n.records, 0) end as new_rows,
    n.newest_at,
    case s.life when 'retired' then coalesce(x.records, 0) end as stranded
from {lives} s
left join (
    select t.source_id, count(*) as records
    from {scope.transaction} t
    where t.is_test
    group by t.source_id
) t on t.source_id = s.source_id
left join (
    select e.source_id, count(*) as records
    from {scope.webhook_event} e
    where e.is_test
    group by e.source_id
) e on e.source_id = s.source_id
left join (
    select a.source_id, count(*) as records, max(a.created_at) as newest_at
    from {lives} d
    join {scope.record} a on a.account_id = d.account_id and a.source_id = d.source_id
    where d.life = 'draining' and a.resource = 'transaction' and a.created_at >= d.life_since
    group by a.source_id
) n on n.source_id = s.source_id
left join (
    select x.source_id, count(*) as records
    from {stranded} x
    group by x.source_id
) x on x.source_id = s.source_id
