-- One row: whether the source has events that deliveries of a window may belong to.
-- $1 account, $2 source, $3 and $4 the window.
select exists (
    select 1
    from tieout.webhook_event e
    where e.account_id = $1 and e.source_id = $2 and e.last_received_at >= $3 and e.first_received_at <= $4
) as has_events
