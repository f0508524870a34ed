-- One row: one quarantined record that a person gave up, noted with the reason.
-- $1 account, $2 id, $3 actor, $4 ledger time, $5 reason.
with given_up as (
    update tieout.quarantine set
        state = 'dropped',
        state_changed_at = $4,
        state_changed_by = $3
    where account_id = $1 and quarantine_id = $2 and state = 'open'
    returning account_id, source_id, feed, quarantine_id
)

insert into tieout.quarantine_event (
    account_id, source_id, feed, quarantine_id, seq, event, at, actor, reason
)
select
    g.account_id,
    g.source_id,
    g.feed,
    g.quarantine_id,
    coalesce(max(e.seq), 0) + 1,
    'dropped',
    $4,
    $3,
    $5
from given_up g
left join tieout.quarantine_event e
    on e.account_id = g.account_id and e.source_id = g.source_id and e.feed = g.feed
    and e.quarantine_id = g.quarantine_id
group by g.account_id, g.source_id, g.feed, g.quarantine_id
