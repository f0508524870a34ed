-- One row put in: one payout of the pair settlement-payout, in its currency. A: what its lines come to, rounding included. B: the payout. $1
-- account. Payouts are no payments: each has a number of its own, below zero. They are looked at as a whole in every run.
insert into run_unit (
    pair, payment_id, source_id, business_day, direction, currency, bucket, a_count, a, b_count, b, class, broken,
    rest_class, is_settled
)
select
    'settlement-payout' as pair,
    -1 - (tieout.key_of('payout:' || p.source_id || '/' || p.payout_id || ' ' || coalesce(p.currency, ''))
        & 9223372036854775807) as payment_id,
    p.source_id,
    tieout.business_date(coalesce(p.paid_at, p.observed_at), a.zone, a.cut_off) as business_day,
    'in' as direction,
    coalesce(p.currency, '') as currency,
    p.state as bucket,
    p.lines as a_count,
    coalesce(p.amount - p.unexplained, 0) as a,
    1 as b_count,
    coalesce(p.amount, 0) as b,
    case
        when j.class = 'break' then 'breaks'
        when j.class is not null then j.class
        when p.unexplained = 0 then 'matched'
        -- Its lines are not all there yet, or its source shows none.
        when f.source_id is null then 'not_evaluated'
        else 'awaiting'
    end as class,
    case j.class when 'break' then -p.unexplained else 0 end as broken,
    'matched' as rest_class,
    true as is_settled
from scope.payout as p
inner join tieout.account as a on a.account_id = $1
left join run_feed as f on f.source_id = p.source_id and f.feed = 'settlement'
left join run_judged as j on j.rule = 'payout_variance' and j.subject = p.subject
where not p.is_test
