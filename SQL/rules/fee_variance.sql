-- rule: fee_variance
-- title: Fee is not what it should be
-- severity: low
-- grain: payment
-- needs: provider
-- proves: absence
-- param: patience interval = 72 hours
-- param: tolerance numeric = 0.01
-- why: The fee is not the one agreed, does not add up from its parts, differs between two views, or never became known.
-- fix: Hold it against the contract; claim back what was taken too much, or correct SQL/reference/fee_schedule.csv.

-- One row: one charge delivered to the customer, or settled to the merchant, whose fee differs from the schedule's, is less
-- than its own parts or, where all are given, not their sum; or that two views state differently; or that is still pending
-- when patience is over. A fee that is not known yet is pending, not zero: the report counts it.
with fee as (
    select
        t.account_id,
        t.source_id,
        t.resource,
        t.transaction_id,
        t.payment_id,
        t.direction,
        t.provider,
        t.payment_method,
        t.charged,
        t.charged_currency,
        t.fee_network,
        t.fee_provider,
        t.fee_total,
        t.fee_currency,
        t.is_final,
        p.transaction_id is not null as is_second,
        coalesce(t.taken_at, t.updated_at, t.created_at) as since,
        t.fee_parts as parts,
        t.fee,
        coalesce(t.fee_network + t.fee_provider + t.fee_partner is not null, false) as is_whole,
        -- Where the provider says on the row itself what it took, but of what it did not carry out.
        coalesce(s.declaration -> 'fees_seen' ? 'transaction', false)
        and not t.flags && array['imported', 'passthrough'] collate "C" as is_shown
    from scope.transaction as t
    inner join scope.source as s
        on s.account_id = t.account_id and s.source_id = t.source_id
    left join scope.second_view as p
        on p.account_id = t.account_id
        and p.source_id = t.source_id
        and p.resource = t.resource
        and p.transaction_id = t.transaction_id
    where (t.money = 'delivered' or (t.money = 'taken' and t.is_settled))
        and not t.is_test
        and coalesce(p.how, '') <> 'succeeded'
),

-- Only where there is a schedule is anything looked up.
scheduled as (
    select distinct on (f.account_id, f.source_id, f.resource, f.transaction_id)
        f.account_id,
        f.source_id,
        f.resource,
        f.transaction_id,
        c.name,
        c.tolerance,
        least(greatest(f.charged * c.percent / 100 + c.fixed, c.minimum), c.maximum) as expected
    from fee as f
    inner join scope.fee_schedule as c
        on coalesce(c.source_id, f.source_id) = f.source_id
        and coalesce(lower(c.provider), '') in ('', lower(f.provider))
        and coalesce(c.payment_method, '') in ('', f.payment_method)
        and coalesce(c.direction, f.direction) = f.direction
        and coalesce(c.currency, f.charged_currency) = f.charged_currency
    where f.charged is not null and not f.is_second
    order by
        f.account_id, f.source_id, f.resource, f.transaction_id,
        (c.source_id is not null)::int * 16 + (c.provider is not null)::int * 8
            + (c.payment_method is not null)::int * 4 + (c.currency is not null)::int * 2
            + (c.direction is not null)::int desc,
        c.name
),

stated as (
    select f.*, c.name, c.expected, c.tolerance
    from fee as f
    left join scheduled as c
        on c.account_id = f.account_id
        and c.source_id = f.source_id
        and c.resource = f.resource
        and c.transaction_id = f.transaction_id
    where not f.is_second
),

-- One step after the other, from the few second views on: as one join all charges of a currency might be compared.
shown as materialized (
    select a.*, p.source_id as b_source_id, p.resource as b_resource, p.transaction_id as b_transaction_id
    from scope.second_view as p
    inner join fee as a
        on a.account_id = p.account_id
        and a.source_id = p.primary_source_id
        and a.resource = p.primary_resource
        and a.transaction_id = p.primary_transaction_id
),

-- The parts that both name alike; the whole only where both give it in one piece.
beside as materialized (
    select
        a.account_id,
        a.source_id,
        a.resource,
        a.transaction_id,
        b.source_id as b_source_id,
        u.part,
        u.a,
        u.b
    from shown as a
    inner join fee as b
        on b.account_id = a.account_id
        and b.source_id = a.b_source_id
        and b.resource = a.b_resource
        and b.transaction_id = a.b_transaction_id
        and b.fee_currency = a.fee_currency
    cross join lateral (
        values
        ('network fee', a.fee_network, b.fee_network),
        ('provider fee', a.fee_provider, b.fee_provider),
        ('fee', case when a.parts is null then a.fee_total end, case when b.parts is null then b.fee_total end)
    ) as u (part, a, b)
    where abs(u.a - u.b) > {tolerance}
),

variance as (
    select
        f.*,
        'fee' as field,
        f.expected as a,
        f.fee as b,
        'schedule ' || f.name as a_from,
        null::timestamptz as due_at,
        1 as place
    from stated as f
    where abs(f.fee - f.expected) > f.tolerance and f.fee_currency = f.charged_currency
    union all
    select f.*, 'sum of the parts', f.parts, f.fee_total, 'provider', null, 2
    from stated as f
    where f.parts - f.fee_total > {tolerance} or (f.is_whole and abs(f.parts - f.fee_total) > {tolerance})
    union all
    select f.*, b.part, b.a, b.b, f.source_id || ', ' || b.b_source_id, null, 3
    from stated as f
    inner join beside as b
        on b.account_id = f.account_id
        and b.source_id = f.source_id
        and b.resource = f.resource
        and b.transaction_id = f.transaction_id
    union all
    select f.*, 'fee pending', f.expected, null, coalesce('schedule ' || f.name, 'provider'), f.since + {patience}, 4
    from stated as f
    where f.is_final and f.fee is null and (f.is_shown or f.name is not null)
)

select
    f.account_id,
    f.source_id,
    f.payment_id,
    'transaction:' || f.source_id || '/' || case f.resource when 'transaction' then '' else f.resource || '/' end
    || f.transaction_id as subject,
    'low' as severity,
    -- Fees are within what was charged: book and provider do not differ by them.
    0::numeric as difference,
    coalesce(max(abs(f.a - f.b)), 0) as at_risk,
    min(coalesce(f.fee_currency, f.charged_currency)) as currency,
    -- What is known to differ waits for nothing.
    case when bool_and(f.due_at is not null) then min(f.due_at) end as due_at,
    jsonb_agg(
        jsonb_build_object(
            'field', f.field,
            'a', tieout.printed(f.a, x.exponent) || coalesce(' ' || coalesce(f.fee_currency, f.charged_currency), ''),
            'b', coalesce(tieout.printed(f.b, x.exponent) || coalesce(' ' || f.fee_currency, ''), 'not known yet'),
            'a_from', f.a_from,
            'b_from', 'provider'
        )
        order by f.place, f.field, f.a_from
    ) as fields
from variance as f
left join scope.currency as x
    on x.code = coalesce(f.fee_currency, f.charged_currency)
group by f.account_id, f.source_id, f.payment_id, f.resource, f.transaction_id
