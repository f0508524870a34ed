-- One row put in: one charge of a source that settles to the merchant, or one settled charge line that no charge explains:
-- the pair provider-settlement, in the currency of the charge. A: what the provider says was charged. B: what its lines say.
-- $1 account. The class is that of the finding, which has its own time to be looked at again.
insert into run_unit (
    pair, payment_id, source_id, business_day, direction, currency, bucket, a_count, a, b_count, b, class, broken,
    rest_class, is_settled
)
with giving as (
    select s.account_id, s.source_id, s.settles_to
    from scope.source as s
    inner join run_feed as f
        on f.source_id = s.source_id and f.feed = 'settlement'
),

charge as (
    select
        t.payment_id,
        t.source_id,
        t.direction,
        coalesce(t.taken_at, t.created_at) as at,
        coalesce(t.charged_currency, '') as currency,
        t.money as bucket,
        1 as a_count,
        coalesce(t.charged, 0) as a,
        t.is_settled::int as b_count,
        -- Lines in another currency are counted, not compared.
        case when t.is_settled then coalesce(t.settled_amount, t.charged, 0) else 0 end as b,
        t.is_unclear,
        'settlement_missing' as rule,
        'transaction:' || t.source_id || '/' || t.transaction_id as subject
    from scope.transaction as t
    inner join giving as g
        on g.account_id = t.account_id and g.source_id = t.source_id and g.settles_to = 'merchant'
    left join scope.second_view as p
        on p.account_id = t.account_id
        and p.source_id = t.source_id
        and p.resource = t.resource
        and p.transaction_id = t.transaction_id
    where p.transaction_id is null
        and not t.is_test
        and t.direction = 'in'
        and t.resource = 'transaction'
        and (
            t.is_settled
            or (
                t.money = 'taken'
                and t.state not in ('failed', 'declined', 'cancelled', 'expired', 'refunded')
                and t.charged is distinct from 0
            )
        )
),

-- Lines of charges in payments in which nothing was charged.
stray as (
    select
        l.payment_id,
        l.source_id,
        l.direction,
        l.settled_at as at,
        coalesce(l.transaction_currency, l.currency, '') as currency,
        'none' as bucket,
        0 as a_count,
        0::numeric as a,
        1 as b_count,
        coalesce(l.transaction_amount, l.gross, 0) as b,
        false as is_unclear,
        'provider_missing' as rule,
        l.subject
    from scope.settlement_line as l
    inner join giving as g
        on g.account_id = l.account_id and g.source_id = l.source_id
    where l.kind = 'charge'
        and l.state = 'settled'
        and l.direction = 'in'
        and not l.is_test
        and not exists (
            select 1
            from scope.transaction as t
            where t.account_id = l.account_id
                and t.payment_id = l.payment_id
                and t.money <> 'none'
        )
),

unit as (
    select c.* from charge as c
    union all
    select s.* from stray as s
)

select
    'provider-settlement' as pair,
    u.payment_id,
    u.source_id,
    ((coalesce(u.at, x.created_at) at time zone x.zone) - x.cut_off)::date as business_day,
    u.direction,
    u.currency,
    u.bucket,
    u.a_count,
    u.a,
    u.b_count,
    u.b,
    case
        when q.payment_id is not null then 'quarantined'
        when j.class = 'break' then 'breaks'
        when j.class = 'not_applicable' then 'not_evaluated'
        when j.class is not null then j.class
        when u.is_unclear then 'ambiguous'
        when u.a = u.b then 'matched'
        when j.rule is null and u.rule = 'provider_missing' then 'not_evaluated'
        else 'unexplained'
    end as class,
    case when q.payment_id is null and j.class = 'break' then u.a - u.b else 0 end as broken,
    'unexplained' as rest_class,
    q.payment_id is null as is_settled
from unit as u
cross join (
    select a.zone, a.cut_off, timestamptz '1970-01-01T00:00:00Z' as created_at
    from tieout.account as a
    where a.account_id = $1
) as x
left join run_judged as j on j.rule = u.rule and j.subject = u.subject
left join (select distinct r.payment_id from run_quarantined as r) as q on q.payment_id = u.payment_id
