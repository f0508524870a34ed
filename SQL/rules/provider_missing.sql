-- rule: provider_missing
-- title: Unknown to the provider
-- severity: medium
-- grain: payment
-- needs: provider
-- proves: absence
-- param: grace interval = 1 hour
-- param: patience interval = 24 hours
-- why: The book or an event speaks of a payment that the provider does not list.
-- fix: Ask the provider for the payment by its id; if it knows none, correct the book and find out who sent the event.

-- One row: one order that the book calls paid, credited, refunded or disputed and whose payment the provider does not
-- list; one that waits for a payment the provider does not list either, though the book names its id or knows no time
-- at which it lapses; one transaction, refund or dispute that only events speak of; one settled charge that no payment
-- explains; or one transaction that its provider listed once and, asked for it by its id, does not know any more: it has
-- vanished.
with unlisted as (
    select
        v.*,
        v.status in ('open', 'pending') as waits
    from scope.verdict as v
    where v.transactions = 0
        and v.verdict in ('provider_missing', 'credited_unpaid', 'awaiting')
        and v.amount <> 0
        and (
            v.status not in ('open', 'pending')
            or v.provider_transaction_id is not null
            or (v.status = 'pending' or v.direction = 'out') and v.expires_at is null
        )
),

-- The first event that speaks of each transaction.
heard as (
    select distinct on (e.account_id, e.source_id, e.transaction_id)
        e.account_id,
        e.source_id,
        e.transaction_id,
        e.payment_id,
        e.raw_status,
        e.event_time
    from scope.webhook_event as e
    left join scope.transaction as t
        on t.account_id = e.account_id
        and t.source_id = e.source_id
        and t.resource = 'transaction'
        and t.transaction_id = e.transaction_id
    where e.is_evidence
        and e.transaction_id is not null
        -- What an event tells of a refund or a dispute is not the payment's.
        and tieout.resource_of(e.transaction_id) = 'transaction'
        and t.transaction_id is null
    order by e.account_id, e.source_id, e.transaction_id, e.event_time, e.event_key
),

-- The same of refunds and disputes, of sources that show such records.
leg as (
    select r.account_id, r.source_id, r.payment_id, 'refund/' || r.refund_id as record_id from scope.refund as r
    union all
    select d.account_id, d.source_id, d.payment_id, 'dispute/' || d.dispute_id from scope.dispute as d
),

heard_of_legs as (
    select distinct on (e.account_id, e.source_id, e.transaction_id)
        e.account_id,
        e.source_id,
        e.transaction_id,
        e.payment_id,
        e.raw_status,
        e.event_time
    from scope.webhook_event as e
    inner join scope.source as s
        on s.account_id = e.account_id and s.source_id = e.source_id
    left join leg as l
        on l.account_id = e.account_id
        and l.record_id = e.transaction_id
        and (l.source_id = e.source_id or l.payment_id = e.payment_id)
    where e.is_evidence
        and (e.transaction_id like 'refund/%' or e.transaction_id like 'dispute/%')
        and (
            s.declaration -> 'lists' ? split_part(e.transaction_id, '/', 1)
            or s.declaration -> 'reads_by_id' ? split_part(e.transaction_id, '/', 1)
        )
        and l.record_id is null
    order by e.account_id, e.source_id, e.transaction_id, e.event_time, e.event_key
),

told as (
    select h.*
    from (select h.* from heard as h union all select g.* from heard_of_legs as g) as h
    left join unlisted as u
        on u.account_id = h.account_id and u.payment_id = h.payment_id
    -- A source that succeeds another, or lies beneath it, lists the same ids.
    left join scope.transaction as t
        on t.account_id = h.account_id and t.payment_id = h.payment_id and t.transaction_id = h.transaction_id
    where t.transaction_id is null and u.order_id is null
)

select
    u.account_id,
    u.order_source_id as source_id,
    u.payment_id,
    'order:' || u.order_id as subject,
    'medium' as severity,
    u.difference,
    case when u.waits then 0 else u.amount end as at_risk,
    u.currency,
    u.book_at + case when u.waits then {patience} else {grace} end as due_at,
    jsonb_build_array(
        jsonb_build_object(
            'field', 'payment',
            'a', u.status,
            'b', null,
            'a_from', 'book',
            'b_from', 'provider'
        ),
        jsonb_build_object(
            'field', 'amount',
            'a', tieout.printed(u.amount, x.exponent) || ' ' || u.currency,
            'b', null,
            'a_from', 'book',
            'b_from', 'provider'
        ),
        jsonb_build_object(
            'field', 'transaction',
            'a', u.provider_transaction_id,
            'b', null,
            'a_from', 'book',
            'b_from', 'provider'
        )
    ) as fields
from unlisted as u
left join scope.currency as x
    on x.code = u.currency
union all
select
    h.account_id,
    h.source_id,
    h.payment_id,
    'transaction:' || h.source_id || '/' || h.transaction_id,
    'medium',
    0::numeric,
    0::numeric,
    null,
    h.event_time + {grace},
    jsonb_build_array(
        jsonb_build_object(
            'field', 'payment',
            'a', h.raw_status,
            'b', null,
            'a_from', 'webhook',
            'b_from', 'provider'
        )
    )
from told as h
union all
select
    e.account_id,
    e.source_id,
    e.payment_id,
    e.subject,
    'medium',
    0::numeric,
    0::numeric,
    e.currency,
    e.at + {grace},
    jsonb_build_array(
        jsonb_build_object(
            'field', 'payment',
            'a', tieout.printed(e.settled, x.exponent) || coalesce(' ' || e.currency, ''),
            'b', null,
            'a_from', 'settlement',
            'b_from', 'provider'
        )
    )
from scope.settlement as e
left join scope.currency as x
    on x.code = e.currency
-- The order says it already.
left join unlisted as u
    on u.account_id = e.account_id and u.payment_id = e.payment_id
where e.verdict = 'provider_missing' and u.order_id is null
union all
select
    v.account_id,
    v.source_id,
    t.payment_id,
    'transaction:' || v.source_id || '/' || case v.resource when 'transaction' then '' else v.resource || '/' end
    || v.transaction_id,
    'medium',
    0::numeric,
    case when t.money in ('held', 'taken', 'delivered')
        then greatest(coalesce(t.charged, 0) - coalesce(t.returned, 0), 0) else 0 end,
    t.charged_currency,
    -- Being asked for and not found is the proof.
    null::timestamptz,
    jsonb_build_array(
        jsonb_build_object(
            'field', 'payment', 'a', t.raw_status, 'b', null, 'a_from', 'provider, before', 'b_from', 'provider'
        ),
        jsonb_build_object('field', 'hint', 'a', 'vanished', 'b', null, 'a_from', 'rule', 'b_from', 'rule')
    )
from scope.vanished as v
inner join scope.transaction as t
    on t.account_id = v.account_id
    and t.source_id = v.source_id
    and t.resource = v.resource
    and t.transaction_id = v.transaction_id
-- The newer source of its line knows it.
left join scope.second_view as p
    on p.account_id = t.account_id
    and p.source_id = t.source_id
    and p.resource = t.resource
    and p.transaction_id = t.transaction_id
    and p.how = 'succeeded'
where not t.is_test and p.transaction_id is null
