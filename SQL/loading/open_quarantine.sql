-- One row: one record id of a source's feed that waits in quarantine.
select distinct record_id
from tieout.quarantine
where account_id = $1
    and source_id = $2
    and feed = $3
    and state = 'open'
    and record_id is not null
