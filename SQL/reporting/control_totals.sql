-- One row: one control total as the reported run knew it: the newest row written by it or by a run before it.
-- Ledger time only grows, so what it or an earlier run replaced was replaced before the next run began.
select distinct on (t.pair, t.source_id, t.business_day, t.direction, t.currency, t.bucket)
    t.*
from (
    select c.pair, c.source_id, c.business_day, c.direction, c.currency, c.bucket, c.run_id, c.a_count, c.a_sum,
        c.b_count, c.b_sum, c.classes, c.unexplained_count, c.unexplained_sum
    from tieout.control_total c
    where c.account_id = {account} and c.run_id <= {run}
    union all
    select h.pair, h.source_id, h.business_day, h.direction, h.currency, h.bucket, h.run_id, h.a_count, h.a_sum,
        h.b_count, h.b_sum, h.classes, h.unexplained_count, h.unexplained_sum
    from tieout.control_total_history h
    where h.account_id = {account} and h.run_id <= {run}
      and h.superseded_at >= (
          select min(n.ledger_time) from tieout.run n where n.account_id = {account} and n.run_id > {run})
) t
order by t.pair, t.source_id, t.business_day, t.direction, t.currency, t.bucket, t.run_id desc
