-- One row: one feed of one source as the reported run left it; an active source without any word from its provider
-- appears too. `state` is: current | silent | stale | backfilling | failing | never read | retired. incomplete_since: where its
-- data end, while it is not current; why: every reason.
select
    s.account_id,
    s.source_id,
    s.provider,
    s.environment,
    s.life,
    coalesce(f.feed, 'provider') as feed,
    case
        when s.life = 'retired' then 'retired'
        when f.failing_since is not null then 'failing'
        when f.last_success_at is null then 'never read'
        when not f.backfill_complete then 'backfilling'
        when f.incomplete_since is not null then 'stale'
        when exists (
            select 1
            from tieout.run_rule r
            where r.account_id = s.account_id and r.run_id = {run} and r.source_id = s.source_id
                and not r.not_applicable
                and f.feed || ' is older than it may be' = any(string_to_array(r.reason, '; '))
        ) then 'stale'
        when f.feed = 'provider' and exists (
            select 1
            from {breaks} b
            where b.rule = 'source_silent' and b.subject = 'source:' || s.source_id
              and b.state in ('open', 'acknowledged')
        ) then 'silent'
        else 'current'
    end as state,
    f.covered_from,
    f.watermark,
    f.last_attempt_at,
    f.last_success_at,
    f.failing_since,
    case when s.life <> 'retired' then coalesce(
        f.incomplete_since, case when f.failing_since is not null then f.watermark end
    ) end
        as incomplete_since,
    case
        when s.life = 'retired' then null
        -- Events that a provider no longer shows are gone for good, also where the objects were read again.
        when coalesce(f.incomplete_why, f.failure) is null then f.counters ->> 'event_gap'
        else coalesce(f.incomplete_why, f.failure)
    end as why,
    coalesce(f.backfill_complete, false) as backfill_complete,
    coalesce(f.late_arrivals, 0) as late_arrivals,
    coalesce(f.records, 0) as records,
    coalesce(f.counters, '{}') as counters,
    case coalesce(f.feed, 'provider') when 'provider' then n.test_rows when 'webhook' then n.test_events end as test_records,
    case coalesce(f.feed, 'provider') when 'provider' then n.new_rows end as new_rows,
    case coalesce(f.feed, 'provider') when 'provider' then n.stranded end as stranded,
    case when coalesce(f.feed, 'provider') = 'provider' and s.life <> 'retired' then
        coalesce(s.declaration -> 'lists' ? 'transaction' and s.declaration ->> 'sweep' is distinct from 'off', true)
    end as swept
from {lives} s
left join {source_notes} n on n.account_id = s.account_id and n.source_id = s.source_id
left join {feed_state} f on f.account_id = s.account_id and f.source_id = s.source_id
