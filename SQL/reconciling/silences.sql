-- One row: one rule that said nothing about one source in this run, and why. $1 account, $2 run, $3 the rules that prove
-- absence: only they fall silent because a feed is old.
select
    r.rule,
    r.source_id,
    r.not_applicable,
    coalesce(r.reason, '') as reason,
    r.not_evaluated as subjects
from tieout.run_rule as r
where r.account_id = $1
    and r.run_id = $2
    and (r.not_applicable or (r.reason is not null and r.rule = any($3::text[])))
order by r.rule, r.source_id
