-- One row: one rule that said nothing about one source in this run, and why. $1 account, $2 run, $3 the rules that prove
-- absence: only they fall silent because a feed is old. A retired source is not read any more.
select
    r.rule,
    r.source_id,
    r.not_applicable,
    coalesce(r.reason, '') as reason,
    r.not_evaluated as subjects
from tieout.run_rule as r
left join scope.source as s
    on s.account_id = r.account_id and s.source_id = r.source_id
where r.account_id = $1
    and r.run_id = $2
    and (r.not_applicable or (r.reason is not null and coalesce(s.life, 'active') <> 'retired' and r.rule = any($3::text[])))
order by r.rule, r.source_id
