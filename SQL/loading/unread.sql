-- One row: one record that could not be read by itself and waits in quarantine to be asked for again; resource: of the
-- record (null: it was asked for by an order or a customer). $1 account, $2 source.
select q.quarantine_id, tieout.record_of(q.record_id) as record_id, tieout.resource_of(q.record_id) as resource
from tieout.quarantine as q
where q.account_id = $1
    and q.source_id = $2
    and q.feed = 'provider'
    and q.state = 'open'
    and q.reason like 'unread: %'
order by q.quarantine_id
