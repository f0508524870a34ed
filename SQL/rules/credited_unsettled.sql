-- rule: credited_unsettled
-- title: Credited before settlement
-- severity: medium
-- grain: payment
-- needs: book, provider
-- proves: absence
-- param: grace interval = 1 hour
-- why: The book credited the customer before the provider settled the payment, against the policy of this source.
-- fix: Find out why the credit did not wait; watch the payment until it settles.

-- One row: one credited order whose money is only held or on its way, where the source's credit policy is on_settled.
select
    v.account_id,
    v.order_source_id as source_id,
    v.payment_id,
    'order:' || v.order_id as subject,
    'medium' as severity,
    v.difference,
    coalesce(v.unreturned, 0) as at_risk,
    v.difference_currency as currency,
    greatest(v.book_at, v.provider_at) + {grace} as due_at,
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
inner join scope.source as s
    on s.account_id = v.account_id and s.source_id = v.order_source_id
left join scope.currency as x
    on x.code = v.currency
left join scope.currency as y
    on y.code = v.charged_currency
where v.verdict = 'credited_unsettled' and s.declaration ->> 'credit_policy' = 'on_settled'
