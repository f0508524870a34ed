-- rule: webhook_missing
-- title: Event never came
-- severity: low
-- grain: payment
-- needs: provider, webhook
-- proves: absence
-- param: grace interval = 1 hour
-- why: The provider shows a final state whose notification never reached us.
-- fix: Check the endpoint and the provider's event profile; whatever acts on events has not acted on this one.

-- One row: one transaction, refund or dispute in a state that its source announces by an event, without a valid event of that
-- status, nor one of that state about a second view of it. The mapping flags what sends one: imported rows do not, nor some
-- underlying providers.
with before as (
    -- Of records without a time of their last change: until when each was seen in another state.
    select v.account_id, v.source_id, v.transaction_id, max(v.version_time) as seen_at
    from scope.transaction as t
    inner join scope.version as v
        on v.account_id = t.account_id
        and v.source_id = t.source_id
        and v.resource = t.resource
        and v.transaction_id = t.transaction_id
    where t.updated_at is null
        and t.resource = 'transaction'
        and not t.is_test
        and t.flags @> array['event_expected'] collate "C"
        and v.raw_status <> t.raw_status
    group by v.account_id, v.source_id, v.transaction_id
),

record as (
    select
        t.account_id, t.source_id, t.payment_id, t.transaction_id as record_id, t.raw_status, t.charged_currency as currency,
        -- When its record says, else when it was paid, else at once; not before it was in another state.
        coalesce(t.updated_at, greatest(coalesce(t.taken_at, t.created_at), b.seen_at)) as said_at
    from scope.transaction as t
    left join before as b
        on b.account_id = t.account_id and b.source_id = t.source_id and b.transaction_id = t.transaction_id
    left join scope.second_view as w
        on w.account_id = t.account_id
        and w.source_id = t.source_id
        and w.resource = t.resource
        and w.transaction_id = t.transaction_id
        and w.how = 'succeeded'
    where w.transaction_id is null
        and t.resource = 'transaction'
        and not t.is_test
        and t.flags @> array['event_expected'] collate "C"
    union all
    select
        r.account_id, r.source_id, r.payment_id, 'refund/' || r.refund_id, r.raw_status, r.currency,
        coalesce(r.updated_at, r.version_time)
    from scope.refund as r
    where not r.is_test and r.flags @> array['event_expected'] collate "C"
    union all
    select
        d.account_id, d.source_id, d.payment_id, 'dispute/' || d.dispute_id, d.raw_status, d.currency,
        coalesce(d.updated_at, d.version_time)
    from scope.dispute as d
    where not d.is_test and d.flags @> array['event_expected'] collate "C"
)

select
    t.account_id,
    t.source_id,
    t.payment_id,
    'transaction:' || t.source_id || '/' || t.record_id as subject,
    'low' as severity,
    0::numeric as difference,
    0::numeric as at_risk,
    t.currency,
    t.said_at + {grace} as due_at,
    jsonb_build_array(
        jsonb_build_object(
            'field', 'event',
            'a', t.raw_status,
            'b', null,
            'a_from', 'provider',
            'b_from', 'webhook'
        )
    ) as fields
from record as t
inner join scope.announced as n
    on n.account_id = t.account_id and n.source_id = t.source_id and n.raw_status = t.raw_status
left join scope.heard as h
    on h.account_id = t.account_id
    and h.origin = n.origin
    and h.transaction_id = t.record_id
    and h.raw_status = t.raw_status
where h.account_id is null
