-- rule: credited_unpaid
-- title: Credited, not paid
-- severity: critical
-- grain: payment
-- needs: book, provider
-- proves: absence
-- param: grace interval = 1 hour
-- param: patience interval = 24 hours
-- why: The book credited the customer, but the provider refused, failed or gave back the payment, or knows none.
-- fix: Find out why the credit was booked; take it back or collect the money.

-- One row: one order that the book calls credited and whose payment came to nothing; an undecided one only
-- when patience is over.
select
    v.account_id,
    v.order_source_id as source_id,
    v.payment_id,
    'order:' || v.order_id as subject,
    'critical' as severity,
    v.difference,
    case
        when v.money = 'taken' and v.charged_currency = v.currency then coalesce(v.unreturned, 0)
        else v.amount
    end as at_risk,
    v.difference_currency as currency,
    greatest(v.book_at, v.provider_at) + case
        when v.state in ('created', 'pending', 'authorized', 'paid', 'settling') and v.money = 'none' then {patience}
        else {grace}
    end as due_at,
    v.said as fields
from scope.verdict as v
where v.verdict = 'credited_unpaid'
