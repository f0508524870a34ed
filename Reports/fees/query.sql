-- One row: the fees of one kind of charge in one currency, of what was taken or delivered and created within the run's
-- period; second views and test data left out. A fee that is not known yet is pending: counted, and in no sum.
select
    t.source_id as source,
    t.direction,
    t.provider,
    t.payment_method,
    coalesce(t.fee_currency, t.charged_currency) as currency,
    count(*) as charges,
    sum(t.charged) filter (where coalesce(t.fee_currency, t.charged_currency) = t.charged_currency) as charged,
    count(f.fee) as known,
    count(*) - count(f.fee) as pending,
    sum(f.fee) as fee_total,
    sum(t.fee_network) as fee_network,
    sum(t.fee_provider) as fee_provider,
    sum(t.fee_partner) as fee_partner,
    sum(t.fee_other) as fee_other
from {scope.transaction} t
left join {scope.second_view} p on p.account_id = t.account_id and p.source_id = t.source_id
    and p.resource = t.resource and p.transaction_id = t.transaction_id
cross join lateral (
    select case
        when t.fee_total is not null then t.fee_total
        when coalesce(t.fee_network, t.fee_provider, t.fee_partner, t.fee_other) is not null
            then coalesce(t.fee_network, 0) + coalesce(t.fee_provider, 0) + coalesce(t.fee_partner, 0)
                + coalesce(t.fee_other, 0)
    end as fee
) f
where t.money in ('taken', 'delivered') and not t.is_test and p.transaction_id is null
  and t.resource not in ('refund', 'dispute', 'settlement_line', 'transfer', 'payout')
  and t.created_at >= coalesce({period_from}, '-infinity') and t.created_at < coalesce({period_to}, 'infinity')
group by 1, 2, 3, 4, 5
