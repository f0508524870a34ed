-- One row: one path of a source's elements that no mapping knows, the most frequent first. $1 account.
select
    u.source_id,
    u.resource,
    u.path,
    u.first_seen_at,
    u.rows_seen
from tieout.unknown_field as u
where u.account_id = $1
order by u.source_id, u.rows_seen desc, u.resource, u.path
