-- One row: the fees of one source in one currency, of the payments of fees.csv: what is known, and of how many
-- payments the fee is not known yet, which is not zero. Where a provider never shows fees, none is awaited; what lines of a
-- settlement say is counted.
with listed as (
    select c.*
    from {scope.charge} c
    where c.created_at >= coalesce({period_from}, '-infinity') and c.created_at < coalesce({period_to}, 'infinity')
    union all
    select c.*
    from {late} l
    join {scope.charge} c on c.source_id = l.source_id and c.resource = l.resource and c.transaction_id = l.transaction_id
)

select
    t.source_id as source,
    coalesce(t.fee_currency, t.charged_currency, '') as currency,
    count(*) filter (where t.fee is not null) as known,
    trim_scale(coalesce(sum(t.fee), 0))::text as fees,
    count(*) filter (where t.fee is null and not t.is_settled) as pending
from listed t
join {scope.source} s on s.source_id = t.source_id
where t.money in ('taken', 'delivered')
    and coalesce(s.declaration -> 'fees_seen' ?| array['transaction', 'settlement', 'event'], true)
group by t.source_id, coalesce(t.fee_currency, t.charged_currency, '')
order by t.source_id, 2
