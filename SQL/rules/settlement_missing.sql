-- rule: settlement_missing
-- title: Charged, in no payout
-- severity: high
-- grain: payment
-- needs: provider, settlement
-- proves: absence
-- why: The provider took the customer's money for the merchant, and by the agreed time no payout has it, or not all of it.
-- fix: Ask the provider in which settlement the payment is; have it paid out.

-- One row: one charge of a source that settles to the merchant and that no payout bundles, or whose line is of another amount
-- (what is not due yet is awaiting). Where a payment has fewer lines than charges, nobody can say whose they are.
select
    t.account_id,
    t.source_id,
    t.payment_id,
    'transaction:' || t.source_id || '/' || t.transaction_id as subject,
    'high' as severity,
    t.charged - case when t.is_settled then coalesce(t.settled_amount, t.charged) else 0 end as difference,
    case when t.is_paid_out then abs(t.charged - t.settled_amount) else t.charged end as at_risk,
    t.charged_currency as currency,
    d.due_at,
    jsonb_build_array(
        jsonb_build_object(
            'field', 'payout',
            'a', 'due ' || to_char(d.due_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') || ' (' || d.term || ')',
            'b', case when t.is_paid_out then 'paid out' when t.is_settled then 'settled, in no payout' end,
            'a_from', 'terms',
            'b_from', 'settlement'
        ),
        jsonb_build_object(
            'field', 'gross',
            'a', tieout.printed(t.charged, x.exponent) || coalesce(' ' || t.charged_currency, ''),
            'b', tieout.printed(t.settled_amount, x.exponent) || coalesce(' ' || t.charged_currency, ''),
            'a_from', 'provider',
            'b_from', 'settlement'
        )
    ) as fields
from scope.transaction as t
inner join scope.due as d
    on d.account_id = t.account_id
    and d.source_id = t.source_id
    and d.resource = t.resource
    and d.transaction_id = t.transaction_id
inner join scope.source as s
    on s.account_id = t.account_id and s.source_id = t.source_id and s.settles_to = 'merchant'
left join scope.second_view as p
    on p.account_id = t.account_id
    and p.source_id = t.source_id
    and p.resource = t.resource
    and p.transaction_id = t.transaction_id
left join scope.currency as x
    on x.code = t.charged_currency
where t.resource = 'transaction'
    and t.direction = 'in'
    and t.money = 'taken'
    and t.state not in ('failed', 'declined', 'cancelled', 'expired', 'refunded')
    and not t.is_test
    and not t.is_unclear
    and p.transaction_id is null
    and t.charged > 0
    and (not t.is_paid_out or t.settled_amount <> t.charged)
