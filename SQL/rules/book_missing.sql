-- rule: book_missing
-- title: Charge without an order
-- severity: medium
-- grain: payment
-- needs: book, provider
-- proves: absence
-- param: grace interval = 1 hour
-- why: The provider shows a charge that no order of the book explains.
-- fix: Find the order it belongs to, or have the money returned.

-- One row: one payment with money held, taken or delivered that no order claims (what went back in full differs from
-- nothing). Its later charges are surplus.
select
    v.account_id,
    v.first_source_id as source_id,
    v.payment_id,
    'transaction:' || v.first_source_id || '/'
    || case v.first_resource when 'transaction' then '' else v.first_resource || '/' end || v.first_transaction_id
        as subject,
    'medium' as severity,
    v.difference,
    coalesce(v.unreturned, 0) as at_risk,
    v.difference_currency as currency,
    v.provider_at + {grace} as due_at,
    jsonb_build_array(
        jsonb_build_object(
            'field', 'order',
            'a', null,
            'b', v.raw_status,
            'a_from', 'book',
            'b_from', 'provider'
        ),
        jsonb_build_object(
            'field', 'amount',
            'a', null,
            'b', coalesce(tieout.printed(v.charged, y.exponent), 'unknown') || coalesce(' ' || v.charged_currency, ''),
            'a_from', 'book',
            'b_from', 'provider'
        )
    ) as fields
from scope.verdict as v
left join scope.currency as y
    on y.code = v.charged_currency
where v.verdict = 'book_missing'
