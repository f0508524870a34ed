-- rule: source_silent
-- title: Source has gone silent
-- severity: medium
-- grain: source
-- needs: provider
-- proves: presence
-- param: history interval = 28 days
-- param: rows bigint = 10
-- param: least interval = 7 days
-- why: The source answers, but has shown no new transaction for longer than it ever paused. A key of another account looks like this.
-- fix: Check the credentials and that customers can still pay through it. Acknowledge the break if the pause is meant.

-- One row: one active source whose newest transaction is older than twice the longest gap between two of them in the
-- time before. A source that has shown only a few, all at once, or less than a week of them has no rhythm yet: hours of
-- daytime say nothing of the night, nor days of work of the weekend.
with newest as (
    select s.account_id, s.source_id, f.answered_at, n.created_at
    from scope.source as s
    inner join scope.feed as f
        on f.account_id = s.account_id and f.source_id = s.source_id and f.feed = 'provider'
    cross join lateral (
        select max(a.created_at) as created_at
        from scope.arrival as a
        where a.account_id = s.account_id and a.source_id = s.source_id and a.resource = 'transaction'
    ) as n
    where s.life = 'active'
),

rhythm as (
    select n.account_id, n.source_id, n.answered_at, n.created_at, r.rows, r.gap, r.span
    from newest as n
    cross join lateral (
        select count(*) as rows, max(p.gap) as gap, sum(p.gap) as span
        from (
            select a.created_at - lag(a.created_at) over (order by a.created_at) as gap
            from scope.arrival as a
            where a.account_id = n.account_id
                and a.source_id = n.source_id
                and a.resource = 'transaction'
                and a.created_at >= n.created_at - {history}
        ) as p
    ) as r
)

select
    r.account_id,
    r.source_id,
    null::bigint as payment_id,
    'source:' || r.source_id as subject,
    'medium' as severity,
    0::numeric as difference,
    0::numeric as at_risk,
    null::text as currency,
    d.due_at,
    jsonb_build_array(
        jsonb_build_object(
            'field', 'newest transaction',
            'a', 'a new one by ' || to_char(d.due_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
            'b', to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
            'a_from', 'its own past',
            'b_from', 'provider'
        ),
        jsonb_build_object(
            'field', 'longest gap',
            'a', trim_scale(round(extract(epoch from r.gap) / 3600, 2)) || ' hours',
            'b', null,
            'a_from', 'its own past',
            'b_from', 'provider'
        )
    ) as fields
from rhythm as r
cross join lateral (select r.created_at + 2 * r.gap as due_at) as d
where r.rows >= {rows}
    and r.span >= {least}
    and r.gap > interval '0'
    and d.due_at <= r.answered_at
