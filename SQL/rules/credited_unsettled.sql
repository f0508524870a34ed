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
    v.said as fields
from scope.verdict as v
inner join scope.source as s
    on s.account_id = v.account_id and s.source_id = v.order_source_id
where v.verdict = 'credited_unsettled' and s.declaration ->> 'credit_policy' = 'on_settled'
