-- One row: the fees of one source in one currency, of the payments of fees.csv: what is known, and of how many
-- payments the fee is not known yet, which is not zero. Where a provider never shows fees, none is awaited; what lines of a
-- settlement say is counted.
select
    t.source_id as source,
    coalesce(t.fee_currency, t.charged_currency, '') as currency,
    count(*) filter (where t.fee is not null) as known,
    trim_scale(coalesce(sum(t.fee), 0))::text as fees,
    count(*) filter (where t.fee is null and not t.is_settled) as pending
from {charged} t
join {scope.source} s on s.source_id = t.source_id
where t.money in ('taken', 'delivered')
    and coalesce(s.declaration -> 'fees_seen' ?| array['transaction', 'settlement', 'event'], true)
group by t.source_id, coalesce(t.fee_currency, t.charged_currency, '')
order by t.source_id, 2
