-- One row removed: one subject that no rule waits for any more, or for another time. $1 account, $2 as_of.
delete from tieout.watch as w
where w.account_id = $1
    and not exists (
        select 1
        from run_judged as j
        where j.rule = w.rule
            and j.subject = w.subject
            and j.class = w.reason
            and j.payment_id is not distinct from w.payment_id
            and case j.class when 'awaiting' then coalesce(j.due_at, j.event_at, $2) = w.look_again_at else true end
    )
