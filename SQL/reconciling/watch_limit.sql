-- One value: whether this run looked at what one row of the watch is about: its payment, its event, its payout (all are looked
-- at in every run), or all of its rule ($2). Included where {limit} stands.
and (w.rule, w.subject) in (
    select x.rule, x.subject
    from run_scope as r
    inner join tieout.watch as x
        on x.account_id = $1 and x.payment_id = r.payment_id
    union
    select x.rule, x.subject
    from tieout.watch as x
    where x.account_id = $1
        and x.payment_id is null
        and (
            x.subject like 'payout:%'
            or x.subject in (select 'event:' || e.source_id || '/' || e.event_key from near_webhook_event as e)
        )
    union
    select x.rule, x.subject
    from tieout.watch as x
    where x.account_id = $1 and x.rule = any($2::text[])
)
