-- One row put in: one transaction of the pair provider-webhook whose state its source announces by an event. Counted
-- only: events carry no amount. $1 account. Sources that give no events are left out.
insert into run_unit (
    pair, payment_id, source_id, business_day, direction, currency, bucket, a_count, a, b_count, b, class, broken,
    rest_class, is_settled
)
with heard as (
    select e.origin, e.transaction_id, e.raw_status, min(e.event_time) as event_time
    from scope.heard as e
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
inner join scope.announced as n
    on n.account_id = t.account_id and n.source_id = t.source_id and n.raw_status = t.raw_status
inner join run_feed as f
    on f.source_id = t.source_id and f.feed = 'webhook'
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
