-- One row put in: one subject that is no standing break and must be counted, or looked at again. $1 as_of. What could not be
-- evaluated, and what is in quarantine, is looked at each night; what lies before coverage, or was closed by a person,
-- when there is news of it.
insert into run_watch (rule, subject, source_id, payment_id, reason, look_again_at)
select
    j.rule,
    j.subject,
    j.source_id,
    j.payment_id,
    case j.class when 'break' then 'closed' else j.class end,
    case j.class
        when 'awaiting' then coalesce(j.due_at, j.event_at, $1::timestamptz)
        when 'not_evaluated' then $1::timestamptz
        when 'quarantined' then $1::timestamptz
        else 'infinity'
    end
from run_judged as j
left join run_stand as s
    on s.rule = j.rule and s.subject = j.subject
where j.class in ('awaiting', 'not_evaluated', 'before_coverage', 'quarantined')
    or (j.class = 'break' and s.rule is null)
