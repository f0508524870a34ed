-- rule: view_conflict
-- title: Two views of one charge disagree
-- severity: high
-- grain: payment
-- needs: provider
-- proves: absence
-- param: grace interval = 1 hour
-- param: patience interval = 24 hours
-- param: tolerance numeric = 0.01
-- why: The aggregator and the provider beneath it, or two lists of one provider, say different things of the same charge.
-- fix: Ask the provider that moves the money; take back what was done by the word of the other.

-- One row: one second view that says otherwise than its primary what became of the money, or how much it was: grace after
-- the later of the two said so, or patience where one of them has not ended yet. Only the primary counts in totals; the
-- difference is that of the pair provider-view. That money went back, in whole or in part, or is disputed, contradicts no
-- view whose provider never shows it (shows_returns, shows_disputes).
with view as (
    select
        t.account_id,
        t.payment_id,
        t.source_id,
        t.resource,
        t.transaction_id,
        t.raw_status,
        t.is_final,
        t.version_time,
        t.charged,
        t.charged_currency,
        -- USDC_BASE and USDC are one asset: not every list names the network.
        split_part(t.charged_currency, '_', 1) as asset,
        t.delivered,
        t.delivered_currency,
        w.returned,
        coalesce(t.state = 'disputed' or t.disputed > 0, false) as is_disputed,
        coalesce(s.declaration ->> 'shows_returns', 'parts') as shows_returns,
        coalesce((s.declaration ->> 'shows_disputes')::boolean, true) as shows_disputes,
        case
            when t.money = 'unknown' then 'unknown'
            when t.money = 'none' then 'none'
            when t.money = 'returned' or coalesce(w.returned >= t.charged and w.returned > 0, false) then 'returned'
            when t.money = 'delivered' then 'delivered'
            when t.state in ('failed', 'declined', 'cancelled', 'expired') then 'kept'
            else 'under way'
        end as outcome
    from scope.transaction as t
    inner join scope.source as s
        on s.account_id = t.account_id and s.source_id = t.source_id
    cross join lateral (
        select coalesce(t.returned, case t.money when 'returned' then t.charged end, 0) as returned
    ) as w
),

compared as (
    select
        p.account_id,
        p.payment_id,
        b.source_id,
        b.resource,
        b.transaction_id,
        a.source_id || case a.resource when 'transaction' then '' else ' ' || a.resource end as a_from,
        b.source_id || case b.resource when 'transaction' then '' else ' ' || b.resource end as b_from,
        a.raw_status as a_status,
        b.raw_status as b_status,
        a.outcome as a_outcome,
        b.outcome as b_outcome,
        a.charged as a_charged,
        b.charged as b_charged,
        a.charged_currency as a_currency,
        b.charged_currency as b_currency,
        a.asset <> b.asset as asset_differs,
        a.returned as a_returned,
        b.returned as b_returned,
        a.delivered as a_delivered,
        b.delivered as b_delivered,
        a.delivered_currency as delivered_currency,
        case a.outcome when 'none' then 0 else coalesce(a.charged, 0) end as a_counted,
        case b.outcome when 'none' then 0 else coalesce(b.charged, 0) end as b_counted,
        a.outcome <> b.outcome
        and not (
            b.outcome in ('delivered', 'kept')
            and case
                when a.is_disputed then a.outcome in ('returned', 'under way') and not b.shows_disputes
                else a.outcome = 'returned' and b.shows_returns = 'never'
            end
        )
        and not (
            a.outcome in ('delivered', 'kept')
            and case
                when b.is_disputed then b.outcome in ('returned', 'under way') and not a.shows_disputes
                else b.outcome = 'returned' and a.shows_returns = 'never'
            end
        ) as outcome_differs,
        (a.is_disputed and not b.is_disputed and b.shows_disputes)
        or (b.is_disputed and not a.is_disputed and a.shows_disputes) as dispute_differs,
        a.outcome <> 'none' and b.outcome <> 'none'
        and coalesce(a.asset <> b.asset or a.charged <> b.charged, false) as charge_differs,
        a.outcome <> 'none' and b.outcome <> 'none' and a.outcome = b.outcome
        and a.asset = b.asset and a.charged = b.charged and a.returned <> b.returned
        and (
            a.outcome = 'returned'
            or case when a.returned > b.returned then b.shows_returns else a.shows_returns end = 'parts'
        ) as return_differs,
        coalesce(
            a.outcome = 'delivered'
            and b.outcome = 'delivered'
            and split_part(a.delivered_currency, '_', 1) = split_part(b.delivered_currency, '_', 1)
            and abs(a.delivered - b.delivered) > a.delivered * {tolerance},
            false
        ) as delivery_differs,
        greatest(a.version_time, b.version_time)
        + case when a.is_final and b.is_final then {grace} else {patience} end as due_at
    from scope.second_view as p
    inner join view as a
        on a.account_id = p.account_id
        and a.source_id = p.primary_source_id
        and a.resource = p.primary_resource
        and a.transaction_id = p.primary_transaction_id
    inner join view as b
        on b.account_id = p.account_id
        and b.source_id = p.source_id
        and b.resource = p.resource
        and b.transaction_id = p.transaction_id
    -- One record in two sources is no second opinion.
    where p.how <> 'succeeded' and a.outcome <> 'unknown' and b.outcome <> 'unknown'
)

select
    c.account_id,
    c.source_id,
    c.payment_id,
    'transaction:' || c.source_id || '/' || case c.resource when 'transaction' then '' else c.resource || '/' end
    || c.transaction_id as subject,
    case
        -- By one of them the customer paid for nothing.
        when c.outcome_differs and 'kept' in (c.a_outcome, c.b_outcome) then 'critical'
        else 'high'
    end as severity,
    -- Amounts in two currencies have no difference: the primary's stands.
    case
        when c.asset_differs then c.a_counted
        else c.a_counted - c.b_counted
    end as difference,
    case
        when c.outcome_differs or c.dispute_differs or c.asset_differs
            then greatest(
                c.a_counted - c.a_returned, case when not c.asset_differs then c.b_counted - c.b_returned end, 0
            )
        else greatest(abs(c.a_counted - c.b_counted), abs(c.a_returned - c.b_returned))
    end as at_risk,
    coalesce(c.a_currency, c.b_currency) as currency,
    c.due_at,
    case when c.outcome_differs or c.dispute_differs then
        jsonb_build_array(
            jsonb_build_object(
                'field', 'status', 'a', c.a_status, 'b', c.b_status, 'a_from', c.a_from, 'b_from', c.b_from
            ),
            jsonb_build_object(
                'field', 'money', 'a', c.a_outcome, 'b', c.b_outcome, 'a_from', c.a_from, 'b_from', c.b_from
            )
        )
    else '[]'::jsonb end
    || case when c.charge_differs or c.outcome_differs then
        jsonb_build_array(
            jsonb_build_object(
                'field', 'charged',
                'a', coalesce(tieout.printed(c.a_charged, x.exponent), 'unknown') || coalesce(' ' || c.a_currency, ''),
                'b', coalesce(tieout.printed(c.b_charged, y.exponent), 'unknown') || coalesce(' ' || c.b_currency, ''),
                'a_from', c.a_from,
                'b_from', c.b_from
            )
        )
    else '[]'::jsonb end
    || case when c.return_differs then
        jsonb_build_array(
            jsonb_build_object(
                'field', 'returned',
                'a', tieout.printed(c.a_returned, x.exponent) || coalesce(' ' || c.a_currency, ''),
                'b', tieout.printed(c.b_returned, y.exponent) || coalesce(' ' || c.b_currency, ''),
                'a_from', c.a_from,
                'b_from', c.b_from
            )
        )
    else '[]'::jsonb end
    || case when c.delivery_differs then
        jsonb_build_array(
            jsonb_build_object(
                'field', 'delivered',
                'a', trim_scale(c.a_delivered)::text || ' ' || c.delivered_currency,
                'b', trim_scale(c.b_delivered)::text || ' ' || c.delivered_currency,
                'a_from', c.a_from,
                'b_from', c.b_from
            )
        )
    else '[]'::jsonb end as fields
from compared as c
left join scope.currency as x
    on x.code = c.a_currency
left join scope.currency as y
    on y.code = c.b_currency
where c.outcome_differs or c.dispute_differs or c.charge_differs or c.return_differs or c.delivery_differs
