-- One row put in: one feed that one source gives. $1 account, $2 as_of, $3 run, $4 feeds, $5 the age up to which each is
-- fresh where its source says nothing else; a draining source has no news, and only its provider is asked for any. A feed
-- that never came is not put in: rules that need it are not applicable there. A webhook feed of which more than 5 % (at
-- least 20) of this run's events are no evidence is not fresh: silence proves nothing then. A feed whose last attempt
-- failed may be fresh still, but it is not whole: nothing heals by it.
insert into run_feed (
    source_id, feed, covered_from, watermark, max_age, failing_since, failure, last_success_at, answered_at, is_old,
    is_fresh, is_whole, reason
)
select
    s.source_id,
    f.feed,
    f.covered_from,
    f.watermark,
    a.max_age,
    f.failing_since,
    f.failure,
    f.last_success_at,
    -- The last time its provider answered, whether or not that proved anything.
    greatest(f.watermark, case when (f.counters ->> 'pages')::bigint > 0 then f.last_attempt_at end),
    o.is_old,
    not o.is_old and w.source_id is null as is_fresh,
    not o.is_old and w.source_id is null and f.failing_since is null as is_whole,
    nullif(
        concat_ws(
            '; ',
            case
                when f.watermark is null then f.feed || ' has no complete window yet'
                when o.is_old then f.feed || ' is older than it may be'
            end,
            case when w.source_id is not null then 'more than 5 % of the events are not valid' end
        ),
        ''
    ) as reason
from (
    select
        k.account_id, k.source_id, k.feed, k.covered_from, k.watermark, k.failing_since, k.failure, k.last_success_at,
        k.last_attempt_at, k.counters
    from tieout.feed_state as k
    union all
    -- Lines that are polled are settlement evidence as files are.
    select
        r.account_id, r.source_id, 'settlement', r.covered_from, r.watermark, k.failing_since, k.failure,
        r.last_success_at, k.last_attempt_at, '{}'
    from tieout.resource_state as r
    inner join tieout.feed_state as k
        on k.account_id = r.account_id and k.source_id = r.source_id and k.feed = 'provider'
    where r.resource = 'settlement_line'
        and not exists (
            select 1
            from tieout.feed_state as o
            where o.account_id = r.account_id and o.source_id = r.source_id and o.feed = 'settlement'
        )
) as f
-- The book names the source through which it expects an order to be paid, which is the one above: what it says reaches
-- as far for the source beneath.
inner join scope.source as s
    on s.account_id = f.account_id
    and (
        s.source_id = f.source_id
        or (
            f.feed = 'book'
            and s.beneath = f.source_id
            and not exists (
                select 1
                from tieout.feed_state as o
                where o.account_id = s.account_id and o.source_id = s.source_id and o.feed = 'book'
            )
        )
    )
inner join unnest($4::text[], $5::interval[]) as d (feed, max_age) on d.feed = f.feed
cross join lateral (
    select coalesce(make_interval(secs => (s.declaration ->> 'max_age')::bigint), d.max_age) as max_age
) as a
cross join lateral (
    select f.watermark is null
        or (f.watermark < $2::timestamptz - a.max_age and (s.life <> 'draining' or f.feed = 'provider')) as is_old
) as o
left join run_unverified as w
    on w.source_id = f.source_id and w.run_id = $3 and w.is_flood and f.feed = 'webhook'
where f.account_id = $1
