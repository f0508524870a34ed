-- One row: the fees of one source in one currency, of payments made within the run's period: what is known, and of how many
-- payments the fee is not known yet, which is not zero. Where a provider never shows fees, none is awaited; what lines of a
-- settlement say is counted.
select
    t.source_id as source,
    coalesce(t.fee_currency, t.charged_currency, '') as currency,
    count(*) filter (where t.fee_total is not null) as known,
    trim_scale(coalesce(sum(t.fee_total), 0))::text as fees,
    count(*) filter (where t.fee_total is null and not t.is_settled) as pending
from {scope.transaction} t
join {scope.source} s on s.source_id = t.source_id
left join {scope.second_view} p on p.account_id = t.account_id and p.source_id = t.source_id
    and p.resource = t.resource and p.transaction_id = t.transaction_id
where p.transaction_id is null
    and not t.is_test
    and t.money in ('taken', 'delivered')
    and t.created_at >= coalesce({period_from}, '-infinity') and t.created_at < coalesce({period_to}, 'infinity')
    and coalesce(s.declaration -> 'fees_seen' ?| array['transaction', 'settlement'], true)
group by t.source_id, coalesce(t.fee_currency, t.charged_currency, '')
order by t.source_id, 2
