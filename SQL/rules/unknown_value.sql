-- rule: unknown_value
-- title: Value nobody modelled
-- severity: high
-- grain: payment
-- needs:
-- proves: presence
-- why: A provider or the book used a status or a currency that no table knows, so nobody can say what the amount means.
-- fix: Find out what the value means and add it to the status map or to the currencies.

-- One row: one transaction, refund, dispute, settlement line, payout, event or order whose status or type has no known meaning,
-- or in whose currency no customer can pay. What a dispute or a refund says of a payment explains no status of its own.
select
    t.account_id,
    t.source_id,
    t.payment_id,
    'transaction:' || t.source_id || '/' || case t.resource when 'transaction' then '' else t.resource || '/' end
    || t.transaction_id as subject,
    'high' as severity,
    0::numeric as difference,
    0::numeric as at_risk,
    t.charged_currency as currency,
    null::timestamptz as due_at,
    case when t.version_state = 'unknown' then
        jsonb_build_array(
            jsonb_build_object(
                'field', 'status', 'a', null, 'b', t.raw_status, 'a_from', 'status map', 'b_from', 'provider'
            )
        )
    else '[]'::jsonb end
    || case when u.is_strange then
        jsonb_build_array(
            jsonb_build_object(
                'field', 'currency', 'a', null, 'b', t.charged_currency, 'a_from', 'currencies', 'b_from', 'provider'
            )
        )
    else '[]'::jsonb end as fields
from scope.transaction as t
left join scope.currency as x
    on x.code = t.charged_currency
-- What a customer is debited on direction out, or moves between wallets, is no money of a state.
cross join lateral (
    select t.direction = 'in' and t.charged_currency is not null and x.code is null
        and t.kind is distinct from 'CRYPTO_TRANSFER' as is_strange
) as u
-- Of one record in two sources the newer speaks.
left join scope.second_view as w
    on w.account_id = t.account_id
    and w.source_id = t.source_id
    and w.resource = t.resource
    and w.transaction_id = t.transaction_id
    and w.how = 'succeeded'
where (t.version_state = 'unknown' or u.is_strange) and not t.is_test and w.transaction_id is null
union all
select
    e.account_id,
    e.source_id,
    e.payment_id,
    'event:' || e.source_id || '/' || e.event_key,
    'high',
    0::numeric,
    0::numeric,
    null,
    null,
    jsonb_build_array(
        jsonb_build_object('field', 'status', 'a', null, 'b', e.raw_status, 'a_from', 'status map', 'b_from', 'webhook')
    )
from scope.webhook_event as e
where e.state = 'unknown' and e.is_evidence
union all
select
    o.account_id,
    o.source_id,
    o.payment_id,
    'order:' || o.order_id,
    'high',
    0::numeric,
    0::numeric,
    o.currency,
    null,
    case when not o.is_known then
        jsonb_build_array(
            jsonb_build_object('field', 'status', 'a', o.status, 'b', null, 'a_from', 'book', 'b_from', 'status map')
        )
    else '[]'::jsonb end
    || case when o.direction = 'in' and x.code is null then
        jsonb_build_array(
            jsonb_build_object('field', 'currency', 'a', o.currency, 'b', null, 'a_from', 'book', 'b_from', 'currencies')
        )
    else '[]'::jsonb end
from scope.book_order as o
left join scope.currency as x
    on x.code = o.currency
where not o.is_known or (o.direction = 'in' and x.code is null)
union all
select
    g.account_id,
    g.source_id,
    g.payment_id,
    'transaction:' || g.source_id || '/' || g.resource || '/' || g.id,
    'high',
    0::numeric,
    0::numeric,
    g.currency,
    null,
    jsonb_build_array(
        jsonb_build_object(
            'field', 'status', 'a', null, 'b', g.raw_status, 'a_from', 'status map', 'b_from', g.resource
        )
    )
from (
    select
        r.account_id, r.source_id, r.payment_id, 'refund' as resource, r.refund_id as id, r.currency, r.raw_status
    from scope.refund as r
    where r.state = 'unknown' and not r.is_test
    union all
    select d.account_id, d.source_id, d.payment_id, 'dispute', d.dispute_id, d.currency, d.raw_status
    from scope.dispute as d
    where d.state = 'unknown' and not d.is_test
) as g
union all
select
    l.account_id,
    l.source_id,
    l.payment_id,
    l.subject,
    'high',
    0::numeric,
    0::numeric,
    l.currency,
    null,
    jsonb_build_array(
        jsonb_build_object(
            'field', case when l.state = 'unknown' then 'status' else 'type' end,
            'a', null,
            'b', case when l.state = 'unknown' then l.raw_status else l.type_word end,
            'a_from', case when l.state = 'unknown' then 'status map' else 'settlement types' end,
            'b_from', 'settlement'
        ),
        jsonb_build_object(
            'field', 'net',
            'a', null,
            'b', tieout.printed(l.net, x.exponent) || coalesce(' ' || l.currency, ''),
            'a_from', 'settlement types',
            'b_from', 'settlement'
        )
    )
from scope.settlement_line as l
left join scope.currency as x
    on x.code = l.currency
where not l.is_known and not l.is_test
union all
select
    p.account_id,
    p.source_id,
    null,
    p.subject,
    'high',
    0::numeric,
    0::numeric,
    p.currency,
    null,
    jsonb_build_array(
        jsonb_build_object('field', 'status', 'a', null, 'b', p.raw_status, 'a_from', 'status map', 'b_from', 'payout'),
        jsonb_build_object(
            'field', 'amount',
            'a', null,
            'b', tieout.printed(p.amount, x.exponent) || coalesce(' ' || p.currency, ''),
            'a_from', 'status map',
            'b_from', 'payout'
        )
    )
from scope.payout as p
left join scope.currency as x
    on x.code = p.currency
where p.state = 'unknown' and not p.is_test
