-- One row put in: one event as it was read until now. $1 account, $2 source, $3 keys, $4 ledger time.
insert into tieout.webhook_event_history
select
    e.*,
    $4::timestamptz
from tieout.webhook_event as e
where e.account_id = $1
    and e.source_id = $2
    and e.event_key = any($3)
