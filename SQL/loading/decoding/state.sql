-- One row: by which reading one kind of a source's records was decoded. $1 account, $2 source, $3 kind.
select
    digest,
    next_digest,
    position,
    unread
from tieout.decoding
where account_id = $1
    and source_id = $2
    and kind = $3
