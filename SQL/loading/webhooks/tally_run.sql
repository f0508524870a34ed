-- One row: what the run learnt of one source's events, with the batch in hand added. An event that the same run learnt
-- before is counted once, as it stands now. Before the events are written.
-- $1 account, $2 source, $3 run, $4 ledger time, $5 whether unsigned deliveries are evidence.
insert into tieout.webhook_run (
    account_id, source_id, run_id, observed_at, events, not_evidence, invalid, stale, unsigned, no_key
)
select
    $1,
    $2,
    $3,
    $4,
    coalesce(sum(n.change), 0),
    coalesce(sum(n.change) filter (where n.verdict <> 'valid' and not (n.verdict = 'unsigned' and $5)), 0),
    coalesce(sum(n.change) filter (where n.verdict = 'invalid'), 0),
    coalesce(sum(n.change) filter (where n.verdict = 'stale'), 0),
    coalesce(sum(n.change) filter (where n.verdict = 'unsigned'), 0),
    coalesce(sum(n.change) filter (where n.verdict = 'no_key'), 0)
from (
    select l.verdict, 1 as change
    from webhook_every e
    join webhook_landed l on l.event_key = e.event_key and l.received_at = e.received_at
        and l.delivery_digest = e.delivery_digest
    where e.is_best
    union all
    select o.verdict, -1
    from webhook_every e
    join webhook_landed l on l.event_key = e.event_key and l.received_at = e.received_at
        and l.delivery_digest = e.delivery_digest
    cross join lateral (
        select k.verdict
        from tieout.webhook_event k
        where k.account_id = $1 and k.source_id = $2 and k.event_key = e.event_key and k.run_id = $3
        limit 1
    ) o
    where e.is_best and e.is_known
) n
having count(*) > 0
on conflict (account_id, source_id, run_id) do update set
    observed_at = excluded.observed_at,
    events = webhook_run.events + excluded.events,
    not_evidence = webhook_run.not_evidence + excluded.not_evidence,
    invalid = webhook_run.invalid + excluded.invalid,
    stale = webhook_run.stale + excluded.stale,
    unsigned = webhook_run.unsigned + excluded.unsigned,
    no_key = webhook_run.no_key + excluded.no_key
