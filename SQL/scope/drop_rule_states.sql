-- One row removed: one rule that is not installed any more; installed again, it judges everything. $1 account, $2 rules.
delete from tieout.rule_state as s
where s.account_id = $1 and not s.rule = any($2::text[])
