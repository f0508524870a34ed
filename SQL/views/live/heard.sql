-- One row: one status of one record that one event proves: its own, a later one that it announces beside it by a flag
-- (`announces=STATUS`), or that of the record of which it shows a second view. Events of an older source of the same line
-- are about the same record. The same may be heard several times.
select e.account_id, s.origin, e.transaction_id, e.raw_status, e.event_time
from scope.webhook_event as e
inner join scope.source as s
    on s.account_id = e.account_id and s.source_id = e.source_id
where e.is_evidence and e.raw_status in (select n.raw_status from scope.announced as n)
union all
select e.account_id, s.origin, e.transaction_id, substr(f.flag, 11), e.event_time
from scope.webhook_event as e
inner join scope.source as s
    on s.account_id = e.account_id and s.source_id = e.source_id
cross join unnest(e.flags) as f (flag)
where e.is_evidence and f.flag like 'announces=%' and cardinality(e.flags) > 0
union all
select p.account_id, s.origin, p.primary_transaction_id, t.raw_status, e.event_time
from scope.second_view as p
inner join scope.source as s
    on s.account_id = p.account_id and s.source_id = p.primary_source_id
inner join scope.transaction as t
    on t.account_id = p.account_id
    and t.source_id = p.primary_source_id
    and t.resource = p.primary_resource
    and t.transaction_id = p.primary_transaction_id
inner join scope.webhook_event as e
    on e.account_id = p.account_id and e.source_id = p.source_id and e.transaction_id = p.record_id
where p.resource <> 'transaction'
    and p.primary_source_id = p.source_id
    and p.primary_resource = 'transaction'
    and e.is_evidence
    and e.state = t.state
