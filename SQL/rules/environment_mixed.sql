-- rule: environment_mixed
-- title: Test data among live data
-- severity: high
-- grain: payment
-- needs:
-- proves: presence
-- why: A source of real payments shows a test one; if the book has credited it, somebody got something for play money.
-- fix: Take back the credit, then find out which system is connected to the wrong environment.

-- One row: one test transaction of a live source, or one test event about a transaction that its live source does not
-- itself call a test. A test of the endpoint alone is about no transaction.
with credited as (
    select
        o.account_id,
        o.payment_id,
        min(o.order_id) as order_id,
        case when count(distinct o.currency) = 1 then sum(o.amount) end as amount,
        case when count(distinct o.currency) = 1 then min(o.currency) end as currency
    from scope.book_order as o
    where o.payment_id is not null
        and (o.book_money = 'delivered' or o.credited_at is not null)
    group by o.account_id, o.payment_id
),

test as (
    select
        t.account_id,
        t.source_id,
        t.payment_id,
        'transaction:' || t.source_id || '/' || case t.resource when 'transaction' then '' else t.resource || '/' end
        || t.transaction_id as subject,
        t.charged_currency as currency,
        'provider' as seen_by
    from scope.transaction as t
    inner join scope.source as s
        on s.account_id = t.account_id and s.source_id = t.source_id and s.environment = 'live'
    where t.is_test
    union all
    select
        e.account_id,
        e.source_id,
        e.payment_id,
        'event:' || e.source_id || '/' || e.event_key,
        null,
        'webhook'
    from scope.webhook_event as e
    inner join scope.source as s
        on s.account_id = e.account_id and s.source_id = e.source_id and s.environment = 'live'
    left join scope.transaction as t
        on t.account_id = e.account_id
        and t.source_id = e.source_id
        and t.resource = 'transaction'
        and t.transaction_id = e.transaction_id
        and t.is_test
    where e.is_test
        and e.transaction_id is not null
        and (e.verdict = 'valid' or (e.verdict = 'unsigned' and s.unsigned_counts))
        and t.transaction_id is null
)

select
    t.account_id,
    t.source_id,
    t.payment_id,
    t.subject,
    case when c.order_id is not null then 'critical' else 'high' end as severity,
    0::numeric as difference,
    coalesce(c.amount, 0) as at_risk,
    coalesce(c.currency, t.currency) as currency,
    null::timestamptz as due_at,
    jsonb_build_array(
        jsonb_build_object(
            'field', 'environment', 'a', 'live', 'b', 'test', 'a_from', 'configuration', 'b_from', t.seen_by
        )
    )
    || case when c.order_id is not null then
        jsonb_build_array(
            jsonb_build_object(
                'field', 'credited',
                'a', 'order ' || c.order_id || coalesce(': ' || tieout.printed(c.amount, x.exponent) || ' ' || c.currency, ''),
                'b', null,
                'a_from', 'book',
                'b_from', t.seen_by
            )
        )
    else '[]'::jsonb end as fields
from test as t
left join credited as c
    on c.account_id = t.account_id and c.payment_id = t.payment_id
left join scope.currency as x
    on x.code = c.currency
