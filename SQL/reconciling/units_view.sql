-- One row put in: one second view and its primary, in one currency: the pair provider-view. A: what the primary says was
-- charged, which is what other pairs count. B: what the second view says. $1 account. The class is that of the finding, which
-- has its own time to be looked at again.
insert into run_unit (
    pair, payment_id, source_id, business_day, direction, currency, bucket, a_count, a, b_count, b, class, broken,
    rest_class, is_settled
)
with view as (
    select
        t.account_id,
        t.source_id,
        t.resource,
        t.transaction_id,
        t.money,
        t.taken_at,
        t.created_at,
        coalesce(t.charged_currency, '') as currency,
        case when t.money in ('none', 'unknown') then 0 else coalesce(t.charged, 0) end as charged
    from scope.transaction as t
),

side as (
    select
        p.payment_id,
        p.direction,
        p.source_id,
        p.resource,
        p.transaction_id,
        a.money,
        coalesce(a.taken_at, a.created_at) as at,
        u.currency,
        sum(u.a_count) as a_count,
        sum(u.a) as a,
        sum(u.b_count) as b_count,
        sum(u.b) as b
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
    cross join lateral (
        values
        (a.currency, 1, a.charged, 0, 0::numeric),
        (
            -- One asset, though one of them names its network too; or one that does not say which.
            case when split_part(a.currency, '_', 1) = split_part(b.currency, '_', 1) or b.currency = '' then a.currency
                else b.currency end,
            0, 0::numeric, 1, b.charged
        )
    ) as u (currency, a_count, a, b_count, b)
    where p.how <> 'succeeded'
    group by
        p.payment_id, p.direction, p.source_id, p.resource, p.transaction_id, a.money, a.taken_at, a.created_at, u.currency
)

select
    'provider-view' as pair,
    s.payment_id,
    s.source_id,
    tieout.business_day(s.at, c.zone, c.cut_off) as business_day,
    s.direction,
    s.currency,
    s.money as bucket,
    s.a_count,
    s.a,
    s.b_count,
    s.b,
    case
        when j.class = 'break' then 'breaks'
        when j.class = 'not_applicable' then 'not_evaluated'
        when j.class is not null then j.class
        when s.a = s.b then 'matched'
        -- One of them does not say how much, or what became of it.
        else 'not_evaluated'
    end as class,
    case j.class when 'break' then s.a - s.b else 0 end as broken,
    'unexplained' as rest_class,
    true as is_settled
from side as s
inner join tieout.account as c on c.account_id = $1
left join run_judged as j
    on j.rule = 'view_conflict'
    and j.subject = 'transaction:' || s.source_id || '/' || case s.resource when 'transaction' then ''
        else s.resource || '/' end || s.transaction_id
