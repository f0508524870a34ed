-- One row put in: one control total that this run found otherwise, or no longer at all, moved to the history. $1
-- account, $2 ledger time now; {limit} leaves out the days of which nothing changed.
with gone as (
    delete from tieout.control_total as c
    where c.account_id = $1 {limit}
        and not exists (
            select 1
            from run_total as t
            where t.pair = c.pair
                and t.source_id = c.source_id
                and t.business_day = c.business_day
                and t.direction = c.direction
                and t.currency = c.currency
                and t.bucket = c.bucket
                and t.a_count = c.a_count
                and t.a_sum is not distinct from c.a_sum
                and t.b_count = c.b_count
                and t.b_sum is not distinct from c.b_sum
                and coalesce(t.classes, '{}') = c.classes
                and t.unexplained_count = c.unexplained_count
                and t.unexplained_sum is not distinct from c.unexplained_sum
        )
    returning *
)

insert into tieout.control_total_history (
    account_id, pair, source_id, business_day, direction, currency, bucket, run_id, observed_at, a_count, a_sum, b_count,
    b_sum, classes, unexplained_count, unexplained_sum, superseded_at
)
select
    g.account_id,
    g.pair,
    g.source_id,
    g.business_day,
    g.direction,
    g.currency,
    g.bucket,
    g.run_id,
    g.observed_at,
    g.a_count,
    g.a_sum,
    g.b_count,
    g.b_sum,
    g.classes,
    g.unexplained_count,
    g.unexplained_sum,
    $2::timestamptz
from gone as g
