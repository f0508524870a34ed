-- One row put in: one charge of a source that settles to the merchant, or one settled charge line that no charge explains:
-- the pair provider-settlement, in the currency of the charge. A: what the provider says was charged. B: what its lines say.
-- $1 account. The class is that of the finding, which has its own time to be looked at again.
insert into run_unit (
    pair, payment_id, source_id, business_day, direction, currency, bucket, a_count, a, b_count, b, class, broken,
    rest_class, is_settled
)
with unit as (
    select
        e.*,
        case e.money when 'none' then 0 else coalesce(e.charged, 0) end as a,
        -- Lines in another currency are counted, not compared.
        case when e.is_settled then coalesce(e.settled, e.charged, 0) else 0 end as b
    from scope.settlement as e
    inner join run_feed as f
        on f.source_id = e.source_id and f.feed = 'settlement'
)

select
    'provider-settlement' as pair,
    u.payment_id,
    u.source_id,
    case u.charges when 0 then tieout.business_date(u.at, a.zone, a.cut_off)
        else tieout.business_day(u.at, a.zone, a.cut_off) end as business_day,
    u.direction,
    coalesce(u.currency, '') as currency,
    u.money as bucket,
    u.charges as a_count,
    u.a,
    u.is_settled::int as b_count,
    u.b,
    case
        when q.payment_id is not null then 'quarantined'
        when j.class = 'break' then 'breaks'
        when j.class = 'not_applicable' then 'not_evaluated'
        when j.class is not null then j.class
        when u.verdict = 'agree' and u.a = u.b then 'matched'
        when u.verdict in ('awaiting', 'ambiguous', 'not_evaluated') then u.verdict
        -- The order, or another rule, says it.
        when u.verdict = 'provider_missing' then 'not_evaluated'
        else 'unexplained'
    end as class,
    case when q.payment_id is null and j.class = 'break' then u.a - u.b else 0 end as broken,
    'unexplained' as rest_class,
    q.payment_id is null as is_settled
from unit as u
inner join tieout.account as a on a.account_id = $1
left join run_judged as j on j.rule = u.verdict and j.subject = u.subject
left join (select distinct r.payment_id from run_quarantined as r) as q on q.payment_id = u.payment_id
