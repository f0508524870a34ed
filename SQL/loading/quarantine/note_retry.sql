-- One row: one quarantined record that was tried again, with what came of it.
-- $1 account, $2 ids, $3 why each was not taken in (empty: as before), $4 run, $5 ledger time, $6 actor.
with tried as (
    select q.account_id, q.source_id, q.feed, q.quarantine_id, q.state, coalesce(nullif(t.reason, ''), q.reason) as reason
    from unnest($2::text[], $3::text[]) as t (id, reason)
    inner join tieout.quarantine q on q.account_id = $1 and q.quarantine_id = t.id
    where q.state in ('open', 'cleared')
),

kept as (
    update tieout.quarantine q set
        last_run_id = $4,
        reason = t.reason
    from tried t
    where q.account_id = $1 and q.source_id = t.source_id and q.feed = t.feed and q.quarantine_id = t.quarantine_id
        and q.state = 'open'
)

insert into tieout.quarantine_event (
    account_id, source_id, feed, quarantine_id, seq, event, at, actor, run_id, reason
)
select
    t.account_id,
    t.source_id,
    t.feed,
    t.quarantine_id,
    coalesce(max(e.seq), 0) + 1,
    case t.state when 'cleared' then 'cleared' else 'retried' end,
    $5,
    $6,
    $4,
    case t.state when 'open' then t.reason end
from tried t
left join tieout.quarantine_event e
    on e.account_id = t.account_id and e.source_id = t.source_id and e.feed = t.feed
    and e.quarantine_id = t.quarantine_id
group by t.account_id, t.source_id, t.feed, t.quarantine_id, t.state, t.reason
