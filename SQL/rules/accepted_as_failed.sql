-- rule: accepted_as_failed
-- title: Accepted, called failed
-- severity: high
-- grain: payment
-- needs: book, provider
-- proves: absence
-- param: grace interval = 1 hour
-- why: The book calls the payment failed or cancelled, and the provider holds or took the customer's money.
-- fix: Credit the customer or have the money returned, before the customer pays again.

-- One row: one order that the book calls failed or cancelled and whose payment was held, taken or delivered.
select
    v.account_id,
    v.order_source_id as source_id,
    v.payment_id,
    'order:' || v.order_id as subject,
    'high' as severity,
    v.difference,
    coalesce(v.unreturned, 0) as at_risk,
    v.difference_currency as currency,
    greatest(v.book_at, v.provider_at) + {grace} as due_at,
    v.said as fields
from scope.verdict as v
where v.verdict = 'accepted_as_failed'
