-- One row: one record that could not be read by itself and waits in quarantine to be asked for again; resource: of the
-- record (null: it was asked for by an order or a customer). With $3 those that were read and could not be taken in as
-- well: where nothing is listed no walk shows them again. $1 account, $2 source.
select
    q.quarantine_id,
    tieout.record_of(q.record_id) as record_id,
    tieout.resource_of(q.record_id) as resource,
    q.reason like 'unread: %' as is_unread
from tieout.quarantine as q
where q.account_id = $1
    and q.source_id = $2
    and q.feed = 'provider'
    and q.state = 'open'
    and (q.reason like 'unread: %' or ($3 and q.record_id is not null))
order by q.quarantine_id
