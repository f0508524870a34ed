-- One row: side, direction, currency, count and exact sum of all current payments, as `tieout-sandbox sums` prints them.
select concat_ws(' ', side, direction, currency, count(*), trim_scale(sum(amount)))
from tieout.transaction
cross join lateral (
    values ('destination', delivered_currency, delivered), ('source', charged_currency, charged)
) as part (side, currency, amount)
where amount is not null and resource = 'transaction'
group by side, direction, currency
order by concat_ws(' ', side, direction, currency) collate "C"
