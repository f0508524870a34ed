-- rule: status_regression
-- title: Final state moved
-- severity: low
-- grain: payment
-- needs: provider
-- proves: presence
-- why: The provider once called the payment finished and now shows an earlier or lesser state.
-- fix: Ask the provider what happened; check what was already booked on the strength of the final state.

-- One row: one transaction, refund or dispute that was in a final state and is now in one that is not final, or of lower
-- rank. That a payment is refunded or disputed is news, and so is what lapsed and was paid after all; of a state nobody
-- modelled nothing is known.
with record as (
    select
        t.account_id, t.source_id, t.resource, t.transaction_id, t.payment_id, t.charged_currency, t.raw_status, t.state,
        t.state_rank, t.is_final, t.version_time
    from scope.transaction as t
    -- Of one record in two sources the newer speaks.
    left join scope.second_view as w
        on w.account_id = t.account_id
        and w.source_id = t.source_id
        and w.resource = t.resource
        and w.transaction_id = t.transaction_id
        and w.how = 'succeeded'
    where not t.is_test and w.transaction_id is null
    union all
    select
        x.account_id, x.source_id, x.resource, x.transaction_id, m.payment_id, x.charged_currency, x.raw_status, x.state,
        x.state_rank, x.is_final, x.version_time
    from scope.record as x
    left join scope.member as m
        on m.account_id = x.account_id
        and m.member = 'transaction'
        and m.source_id = x.source_id
        and m.record_id = x.resource || '/' || x.transaction_id
    where x.resource in ('refund', 'dispute') and not x.is_test
),

final as (
    select distinct on (v.account_id, v.source_id, v.resource, v.transaction_id)
        v.account_id,
        v.source_id,
        v.resource,
        v.transaction_id,
        v.raw_status,
        v.version_time,
        t.payment_id,
        t.charged_currency,
        t.raw_status as now_status,
        t.version_time as now_time
    from scope.version as v
    inner join record as t
        on t.account_id = v.account_id
        and t.source_id = v.source_id
        and t.resource = v.resource
        and t.transaction_id = v.transaction_id
    where v.is_final
        and v.state not in ('expired', 'unknown')
        and t.state not in ('refunded', 'disputed', 'unknown')
        and v.raw_status <> t.raw_status
        and (not t.is_final or t.state_rank < v.state_rank)
    order by
        v.account_id, v.source_id, v.resource, v.transaction_id, v.state_rank desc, v.version_time desc, v.raw_status
)

select
    f.account_id,
    f.source_id,
    f.payment_id,
    'transaction:' || f.source_id || '/' || case f.resource when 'transaction' then '' else f.resource || '/' end
    || f.transaction_id as subject,
    'low' as severity,
    0::numeric as difference,
    0::numeric as at_risk,
    f.charged_currency as currency,
    null::timestamptz as due_at,
    jsonb_build_array(
        jsonb_build_object(
            'field', 'status', 'a', f.raw_status, 'b', f.now_status, 'a_from', 'provider, before', 'b_from', 'provider'
        ),
        jsonb_build_object(
            'field', 'changed at',
            'a', to_char(f.version_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
            'b', to_char(f.now_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
            'a_from', 'provider, before',
            'b_from', 'provider'
        )
    ) as fields
from final as f
