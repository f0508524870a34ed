-- rule: expired_but_paid
-- title: Lapsed in the book, paid after all
-- severity: high
-- grain: payment
-- needs: book, provider
-- proves: absence
-- param: grace interval = 1 hour
-- why: The book gave the order up when its session lapsed, and the provider has the customer's money.
-- fix: Credit the customer or have the money returned; find out why the book did not hear of the payment.

-- One row: one order that lapsed in the book (or was cancelled when its session had lapsed) and whose payment was
-- held, taken or delivered.
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
    v.said || jsonb_build_array(
        jsonb_build_object(
            'field', 'lapsed',
            'a', to_char(coalesce(v.expires_at, v.book_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
            'b', null,
            'a_from', 'book',
            'b_from', 'provider'
        )
    ) as fields
from scope.verdict as v
where v.verdict = 'expired_but_paid'
