-- One row put in: one transaction of the pair provider-webhook whose state its source announces by an event. Counted
-- only: events carry no amount. $1 account. Sources that give no events are left out.
insert into run_unit (
    pair, payment_id, source_id, business_day, direction, currency, bucket, a_count, a, b_count, b, class, broken,
    rest_class, is_settled
)
with announced as (
    select s.account_id, s.source_id, s.origin, u.raw_status
    from scope.source as s
    inner join run_feed as f
        on f.source_id = s.source_id and f.feed = 'webhook'
    cross join lateral jsonb_array_elements_text(
        case jsonb_typeof(s.declaration -> 'event_states') when 'array' then s.declaration -> 'event_states'
            else '[]' end
    ) as u (raw_status)
),

told as (
    select s.origin, e.transaction_id, e.raw_status, e.event_time
    from scope.webhook_event as e
    inner join scope.source as s
        on s.account_id = e.account_id and s.source_id = e.source_id
    where e.is_evidence and e.raw_status in (select n.raw_status from announced as n)
    union all
    -- An event may announce a later status beside its own, as webhook_missing takes it.
    select s.origin, e.transaction_id, substr(f.flag, 11), e.event_time
    from scope.webhook_event as e
    inner join scope.source as s
        on s.account_id = e.account_id and s.source_id = e.source_id
    cross join unnest(e.flags) as f (flag)
    where e.is_evidence and f.flag like 'announces=%' and cardinality(e.flags) > 0
    union all
    select s.origin, p.primary_transaction_id, t.raw_status, e.event_time
    from scope.second_view as p
    inner join scope.source as s
        on s.account_id = p.account_id and s.source_id = p.primary_source_id
    inner join scope.transaction as t
        on t.source_id = p.primary_source_id
        and t.resource = p.primary_resource
        and t.transaction_id = p.primary_transaction_id
    inner join scope.webhook_event as e on e.source_id = p.source_id and e.transaction_id = p.record_id
    where p.resource <> 'transaction'
        and p.primary_source_id = p.source_id
        and p.primary_resource = 'transaction'
        and e.is_evidence
        and e.state = t.state
),

heard as (
    select e.origin, e.transaction_id, e.raw_status, min(e.event_time) as event_time
    from told as e
    group by e.origin, e.transaction_id, e.raw_status
)

select
    'provider-webhook' as pair,
    t.payment_id,
    t.source_id,
    -- When it came to that state, by what its event and its record say; when we read it says nothing about it.
    tieout.business_day(coalesce(h.event_time, t.updated_at, t.taken_at, t.created_at), a.zone, a.cut_off)
        as business_day,
    t.direction,
    '' as currency,
    t.money as bucket,
    1 as a_count,
    null::numeric as a,
    (h.origin is not null)::int as b_count,
    null::numeric as b,
    case
        when h.origin is not null then 'matched'
        when j.class = 'break' then 'breaks'
        else coalesce(j.class, 'unexplained')
    end as class,
    0 as broken,
    'unexplained' as rest_class,
    -- Its class is that of a finding, which has its own time to be looked at again.
    true as is_settled
from scope.transaction as t
inner join announced as n
    on n.account_id = t.account_id and n.source_id = t.source_id and n.raw_status = t.raw_status
inner join tieout.account as a on a.account_id = $1
left join heard as h
    on h.origin = n.origin and h.transaction_id = t.transaction_id and h.raw_status = t.raw_status
left join run_judged as j
    on j.rule = 'webhook_missing' and j.subject = 'transaction:' || t.source_id || '/' || t.transaction_id
-- Of one record in two sources the newer counts.
left join scope.second_view as w
    on w.account_id = t.account_id
    and w.source_id = t.source_id
    and w.resource = t.resource
    and w.transaction_id = t.transaction_id
    and w.how = 'succeeded'
where t.resource = 'transaction'
    and w.transaction_id is null
    and not t.is_test
    and t.flags @> array['event_expected'] collate "C"
