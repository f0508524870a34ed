-- One row: what one kind of charge should cost: a percentage of what was charged and a fixed part, not less than minimum nor
-- more than maximum, give or take the tolerance. What is null fits any.
select
    f.name, f.source_id, f.provider, f.payment_method, f.direction, f.currency, f.percent, f.fixed, f.minimum, f.maximum,
    f.tolerance
from tieout.fee_schedule as f
