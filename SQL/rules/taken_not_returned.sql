-- rule: taken_not_returned
-- title: Taken, not returned
-- severity: critical
-- grain: payment
-- needs: provider
-- proves: absence
-- param: grace interval = 1 hour
-- why: The payment ended without success after the money was taken, and the customer did not get it back in time.
-- fix: Have the provider refund the customer, or deliver what was paid for.

-- One row: one transaction that ended failed, cancelled, declined or expired with the customer's money, and no full
-- refund of it. One that the book credited is credited_unpaid.
select
    t.account_id,
    t.source_id,
    t.payment_id,
    'transaction:' || t.source_id || '/' || case t.resource when 'transaction' then '' else t.resource || '/' end
    || t.transaction_id as subject,
    'critical' as severity,
    -- Of several charges, the one that got furthest speaks for the order.
    coalesce(v.difference, 0) as difference,
    greatest(coalesce(t.charged, 0) - coalesce(t.returned, 0), 0) as at_risk,
    coalesce(v.difference_currency, t.charged_currency) as currency,
    greatest(d.due_at, coalesce(t.updated_at, t.created_at) + {grace}) as due_at,
    jsonb_build_array(
        jsonb_build_object(
            'field', 'returned',
            'a', coalesce(tieout.printed(t.charged, x.exponent) || coalesce(' ' || t.charged_currency, ''), 'in full'),
            'b', tieout.printed(coalesce(t.returned, 0), x.exponent) || coalesce(' ' || t.charged_currency, ''),
            'a_from', 'provider',
            'b_from', 'provider'
        ),
        jsonb_build_object(
            'field', 'status',
            'a', v.status,
            'b', t.raw_status,
            'a_from', 'book',
            'b_from', 'provider'
        )
    ) as fields
from scope.charge as t
left join scope.due as d
    on d.account_id = t.account_id
    and d.source_id = t.source_id
    and d.resource = t.resource
    and d.transaction_id = t.transaction_id
-- No row: the payment got further than this charge, or nothing else is odd about it.
left join scope.verdict as v
    on v.account_id = t.account_id
    and v.payment_id = t.payment_id
    and v.direction = t.direction
    and v.source_id = t.source_id
    and v.resource = t.resource
    and v.transaction_id = t.transaction_id
left join scope.currency as x
    on x.code = t.charged_currency
where t.money = 'taken'
    and t.state in ('failed', 'declined', 'cancelled', 'expired')
    and coalesce(t.charged > t.returned, true)
    and t.charged is distinct from 0
    and coalesce(v.verdict in ('taken_not_returned', 'book_missing', 'ambiguous', 'unknown_value'), true)
