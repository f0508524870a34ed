-- One row put in: one subject whose verdict can change without new data, or that could not be evaluated. $1 account,
-- $2 as_of.
insert into tieout.watch (account_id, rule, subject, payment_id, reason, look_again_at)
select
    $1::bigint,
    j.rule,
    j.subject,
    j.payment_id,
    j.class,
    case j.class when 'awaiting' then coalesce(j.due_at, j.event_at, $2::timestamptz) else $2::timestamptz end
from run_judged as j
left join tieout.watch as w
    on w.account_id = $1 and w.rule = j.rule and w.subject = j.subject
where j.class in ('awaiting', 'not_evaluated') and w.account_id is null
