-- One row: whether the source has any event. $1 account, $2 source.
select exists (
    select 1
    from tieout.webhook_event e
    where e.account_id = $1 and e.source_id = $2
) as has_events
