-- One row: one transaction whose events are in order now. $1 account, $2 source.
delete from tieout.webhook_unordered t
where t.account_id = $1 and t.source_id = $2
