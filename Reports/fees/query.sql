-- One row: the fees of one kind of charge in one currency, of what was taken or delivered and created within the run's
-- period, or before it and known only since the previous report; second views and test data left out. A fee that is not
-- known yet is pending: counted, and in no sum.
select
    t.source_id as source,
    t.direction,
    t.provider,
    t.payment_method,
    coalesce(t.fee_currency, t.charged_currency) as currency,
    count(*) as charges,
    sum(t.charged) filter (where coalesce(t.fee_currency, t.charged_currency) = t.charged_currency) as charged,
    count(t.fee) as known,
    count(*) - count(t.fee) as pending,
    sum(t.fee) as fee_total,
    sum(t.fee_network) as fee_network,
    sum(t.fee_provider) as fee_provider,
    sum(t.fee_partner) as fee_partner,
    sum(t.fee_other) as fee_other
from {charged} t
where t.money in ('taken', 'delivered')
group by 1, 2, 3, 4, 5
