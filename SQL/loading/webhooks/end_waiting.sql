-- One row: exact bytes that need not wait any longer: their event is evidence now. $1 account, $2 source.
delete from tieout.webhook_pending p
using webhook_every e
where e.is_best and e.is_evidence and e.is_known
    and p.account_id = $1 and p.source_id = $2 and p.event_key = e.event_key
