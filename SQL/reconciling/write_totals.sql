-- One row put in: one control total that is new or changed. $1 account, $2 run, $3 ledger time now.
insert into tieout.control_total (
    account_id, pair, source_id, business_day, direction, currency, bucket, run_id, observed_at, a_count, a_sum, b_count,
    b_sum, classes, unexplained_count, unexplained_sum
)
select
    $1::bigint,
    t.pair,
    t.source_id,
    t.business_day,
    t.direction,
    t.currency,
    t.bucket,
    $2::bigint,
    $3::timestamptz,
    t.a_count,
    t.a_sum,
    t.b_count,
    t.b_sum,
    coalesce(t.classes, '{}'),
    t.unexplained_count,
    t.unexplained_sum
from run_total as t
left join tieout.control_total as c
    on c.account_id = $1
    and c.pair = t.pair
    and c.source_id = t.source_id
    and c.business_day = t.business_day
    and c.direction = t.direction
    and c.currency = t.currency
    and c.bucket = t.bucket
where c.account_id is null
