-- One row: the webhook feed of one source with the events of a batch added. $1 account, $2 source, $3 new events.
update tieout.feed_state f set
    records = f.records + $3
where f.account_id = $1 and f.source_id = $2 and f.feed = 'webhook'
