-- rule: book_conflict
-- title: Book and provider contradict
-- severity: medium
-- grain: payment
-- needs: book, provider
-- proves: absence
-- param: grace interval = 1 hour
-- param: patience interval = 24 hours
-- why: The book says something of the payment that what the provider says cannot be squared with.
-- fix: Compare both records; correct the book, or ask the provider what its status means.

-- One row: one order whose status contradicts its payment's state (the state matrix says which do). While the
-- session is open the customer may try again.
select
    v.account_id,
    v.order_source_id as source_id,
    v.payment_id,
    'order:' || v.order_id as subject,
    'medium' as severity,
    v.difference,
    abs(v.difference) as at_risk,
    v.difference_currency as currency,
    case
        when v.money <> 'none' then greatest(v.book_at, v.provider_at) + {grace}
        when v.word = 'paid' and v.state in ('created', 'pending', 'authorized', 'paid', 'settling')
            then greatest(v.book_at, v.provider_at) + {patience}
        when v.word in ('open', 'pending') then greatest(v.book_at, v.provider_at, v.expires_at) + {grace}
        else greatest(v.book_at, v.provider_at) + {grace}
    end as due_at,
    v.said as fields
from scope.verdict as v
where v.verdict = 'book_conflict'
