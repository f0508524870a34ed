-- rule: paid_unsettled
-- title: Paid, not settled
-- severity: medium
-- grain: payment
-- needs: provider
-- needs_where_settled_by_lines: settlement
-- proves: absence
-- why: The customer paid, and what was paid for was neither delivered nor settled within the agreed time.
-- fix: Ask the provider where the payment is stuck; have it delivered or returned.

-- One row: one transaction whose money was taken and that has come no further (what is not due yet is awaiting).
select
    t.account_id,
    t.source_id,
    t.payment_id,
    'transaction:' || t.source_id || '/' || case t.resource when 'transaction' then '' else t.resource || '/' end
    || t.transaction_id as subject,
    case when d.twice_at <= $2 then 'high' else 'medium' end as severity,
    -- An order that the book still calls open or pending does not carry the money yet.
    coalesce(v.difference, 0) as difference,
    greatest(coalesce(t.charged, 0) - coalesce(t.returned, 0), 0) as at_risk,
    coalesce(v.difference_currency, t.charged_currency) as currency,
    d.due_at,
    jsonb_build_array(
        jsonb_build_object(
            'field', case s.settles_to when 'customer' then 'delivered' else 'settled' end,
            'a', 'due ' || to_char(d.due_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') || ' (' || d.term || ')',
            'b', t.raw_status,
            'a_from', 'terms',
            'b_from', 'provider'
        ),
        jsonb_build_object(
            'field', 'charged',
            'a', null,
            'b', tieout.printed(t.charged, x.exponent) || ' ' || t.charged_currency,
            'a_from', 'provider',
            'b_from', 'provider'
        )
    ) as fields
from scope.charge as t
inner join scope.due as d
    on d.account_id = t.account_id
    and d.source_id = t.source_id
    and d.resource = t.resource
    and d.transaction_id = t.transaction_id
inner join scope.source as s
    on s.account_id = t.account_id and s.source_id = t.source_id
left join scope.verdict as v
    on v.account_id = t.account_id
    and v.payment_id = t.payment_id
    and v.direction = t.direction
    and v.source_id = t.source_id
    and v.resource = t.resource
    and v.transaction_id = t.transaction_id
    and v.verdict = 'paid_unsettled'
left join scope.currency as x
    on x.code = t.charged_currency
where t.money = 'taken'
    -- An ended payment whose money stayed is taken_not_returned; a dispute is dispute_unbooked.
    and t.state not in ('settled', 'failed', 'declined', 'cancelled', 'expired', 'refunded', 'disputed')
    and coalesce(t.charged > t.returned, true)
    -- Nothing is owed for nothing.
    and t.charged is distinct from 0
