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
    e.account_id,
    e.source_id,
    e.payment_id,
    e.subject,
    'high' as severity,
    e.difference,
    case when e.is_expected and not e.is_paid_out then e.charged else abs(e.difference) end as at_risk,
    e.currency,
    e.due_at,
    jsonb_build_array(
        jsonb_build_object(
            'field', 'payout',
            'a', 'due ' || to_char(e.due_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') || ' (' || e.term || ')',
            'b', case when e.is_paid_out then 'paid out' when e.is_settled then 'settled, in no payout' end,
            'a_from', 'terms',
            'b_from', 'settlement'
        ),
        jsonb_build_object(
            'field', 'gross',
            'a', tieout.printed(e.charged, x.exponent) || coalesce(' ' || e.currency, ''),
            'b', tieout.printed(e.settled, x.exponent) || coalesce(' ' || e.currency, ''),
            'a_from', 'provider',
            'b_from', 'settlement'
        )
    ) as fields
from scope.settlement as e
left join scope.currency as x
    on x.code = e.currency
where e.verdict = 'settlement_missing'
