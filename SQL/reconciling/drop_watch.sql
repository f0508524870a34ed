-- One row removed: one subject that no rule waits for any more, or for another time. $1 account; {limit} leaves out what
-- this run did not look at.
delete from tieout.watch as w
where w.account_id = $1 {limit}
    and not exists (
        select 1
        from run_watch as n
        where n.rule = w.rule
            and n.subject = w.subject
            and n.reason = w.reason
            and n.source_id is not distinct from w.source_id
            and n.payment_id is not distinct from w.payment_id
            and (n.look_again_at = w.look_again_at or n.reason in ('not_evaluated', 'quarantined'))
    )
