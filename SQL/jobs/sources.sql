-- One row: one feed of one source, with where it stands. $1 account, or null for all.
select
    a.name as account,
    s.source_id,
    s.provider,
    s.environment,
    s.life,
    f.feed,
    f.covered_from,
    f.watermark,
    f.last_success_at,
    f.failing_since,
    f.failure,
    f.backfill_complete,
    f.records,
    f.late_arrivals,
    w.waiting,
    u.paths as unknown_fields
from tieout.source as s
join tieout.account as a on a.account_id = s.account_id
left join tieout.feed_state as f on f.account_id = s.account_id and f.source_id = s.source_id
left join lateral (
    select count(*) as waiting
    from tieout.webhook_pending as p
    where p.account_id = s.account_id and p.source_id = s.source_id
) as w on f.feed = 'webhook'
left join (
    select account_id, source_id, count(*) as paths
    from tieout.unknown_field
    group by account_id, source_id
) as u on u.account_id = s.account_id and u.source_id = s.source_id and f.feed = 'provider'
where $1::bigint is null or s.account_id = $1
order by a.name, s.source_id, f.feed
