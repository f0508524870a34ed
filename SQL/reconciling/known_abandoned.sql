-- One row: one part that was counted before, of a payment that this run looked at, to be taken off. $1 account. Included
-- where {known} stands.
union all
select c.source_id, -c.units
from run_scope as r
inner join tieout.control_unit as c
    on c.account_id = $1 and c.payment_id = r.payment_id
where c.pair = 'abandoned' and c.class = 'abandoned'
