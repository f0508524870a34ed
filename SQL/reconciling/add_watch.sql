-- One row put in: one subject whose verdict can change without new data, or that is counted and no break. $1 account.
insert into tieout.watch (account_id, rule, subject, source_id, payment_id, reason, look_again_at)
select $1::bigint, n.rule, n.subject, n.source_id, n.payment_id, n.reason, n.look_again_at
from run_watch as n
left join tieout.watch as w
    on w.account_id = $1 and w.rule = n.rule and w.subject = n.subject
where w.account_id is null
