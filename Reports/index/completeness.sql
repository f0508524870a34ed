-- One row: what the run could not take in or could not judge, though every feed may be current.
select
    (
        select count(*)
        from tieout.quarantine q
        where q.account_id = {account} and q.observed_at <= {as_of}
            and (q.state = 'open' or q.state_changed_at > {as_of})
    ) as quarantined,
    count(distinct r.rule) as silent_rules,
    coalesce(sum(r.not_evaluated), 0)::bigint as not_evaluated
from tieout.run_rule r
where r.account_id = {account} and r.run_id = {run} and not r.not_applicable
    -- A rule that proves absence looks at nothing where a feed it needs is too old.
    and (r.not_evaluated > 0 or r.reason is not null and r.evaluated = 0)
    -- What is open at a retired source is stranded, and listed as such.
    and not exists (
        select 1
        from {lives} s
        where s.account_id = r.account_id and s.source_id = r.source_id and s.life = 'retired'
    )
