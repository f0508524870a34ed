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
    v.said as fields
from scope.verdict as v
where v.verdict = 'settled_uncredited'
