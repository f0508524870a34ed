-- rule: settled_uncredited
-- title: Settled, not credited
-- severity: high
-- grain: payment
-- needs: book, provider
-- proves: absence
-- param: grace interval = 1 hour
-- why: The provider delivered or settled the payment, and the book has not credited the customer in time.
-- fix: Credit the customer; find out which message the book missed.

-- One row: one order whose payment was delivered or settled and that the book still calls open, pending or paid.
select
    v.account_id,
    v.order_source_id as source_id,
    v.payment_id,
    'order:' || v.order_id as subject,
    'high' as severity,
    v.difference,
    coalesce(v.unreturned, 0) as at_risk,
    v.difference_currency as currency,
    v.provider_at + {grace} as due_at,
    jsonb_build_array(
        jsonb_build_object(
            'field', 'status',
            'a', v.status,
            'b', coalesce(v.raw_status, 'no payment'),
            'a_from', 'book',
            'b_from', 'provider'
        ),
        jsonb_build_object(
            'field', 'amount',
            'a', tieout.printed(v.booked, x.exponent) || ' ' || v.currency,
            'b', coalesce(tieout.printed(v.charged, y.exponent), 'unknown') || coalesce(' ' || v.charged_currency, ''),
            'a_from', 'book',
            'b_from', 'provider'
        ),
        jsonb_build_object('field', 'hint', 'a', v.why, 'b', null, 'a_from', 'rule', 'b_from', 'rule')
    ) as fields
from scope.verdict as v
left join scope.currency as x
    on x.code = v.currency
left join scope.currency as y
    on y.code = v.charged_currency
where v.verdict = 'settled_uncredited'
