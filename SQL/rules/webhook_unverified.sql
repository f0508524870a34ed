-- rule: webhook_unverified
-- title: Events without proof
-- severity: medium
-- grain: source
-- needs:
-- proves: presence
-- why: A notification came whose signature is wrong, missing, too old or cannot be checked: nobody knows who sent it, so it proves nothing.
-- fix: If many fail, give Tieout the endpoint's current and former secrets; they are judged again within 30 days. If few, find out who sends them.

-- One row: one event that is no evidence, or under whose key another body came without proof (the proven one counts); or one
-- source of which more than 5 % (and at least 20) of the events that one run learnt are none: the cause is the key then, not
-- the event.
with flood as (
    select
        f.account_id,
        f.source_id,
        min(f.run_id) as first_run_id,
        string_agg(distinct f.verdict, ', ' order by f.verdict) as verdicts
    from scope.unverified_event as f
    where f.is_flood
    group by f.account_id, f.source_id
)

select
    f.account_id,
    f.source_id,
    null::bigint as payment_id,
    'source:' || f.source_id as subject,
    'medium' as severity,
    0::numeric as difference,
    0::numeric as at_risk,
    null::text as currency,
    null::timestamptz as due_at,
    jsonb_build_array(
        jsonb_build_object(
            'field', 'verdict', 'a', 'valid', 'b', f.verdicts, 'a_from', 'signature', 'b_from', 'webhook'
        ),
        jsonb_build_object(
            'field', 'events without proof',
            'a', 'at most 5 %',
            'b', u.run_refused || ' of ' || u.run_events,
            'a_from', 'configuration',
            'b_from', 'webhook'
        ),
        jsonb_build_object(
            'field', 'since',
            'a', null,
            'b', to_char(u.since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
            'a_from', 'signature',
            'b_from', 'webhook'
        )
    ) as fields
from flood as f
cross join lateral (
    select e.run_events, e.run_refused, e.since
    from scope.unverified_event as e
    where e.account_id = f.account_id and e.source_id = f.source_id and e.run_id = f.first_run_id
    limit 1
) as u
union all
select
    e.account_id,
    e.source_id,
    null::bigint,
    'event:' || e.source_id || '/' || e.event_key,
    'medium',
    0::numeric,
    0::numeric,
    null::text,
    null::timestamptz,
    jsonb_build_array(
        jsonb_build_object(
            'field', 'verdict', 'a', 'valid', 'b', e.verdict, 'a_from', 'signature', 'b_from', 'webhook'
        ),
        jsonb_build_object(
            'field', 'status', 'a', null, 'b', coalesce(e.raw_status, e.kind), 'a_from', 'signature', 'b_from', 'webhook'
        )
    )
    || case when e.is_forged then
        jsonb_build_array(
            jsonb_build_object(
                'field', 'hint', 'a', 'another body under the key of a proven event', 'b', null, 'a_from', 'rule',
                'b_from', 'rule'
            )
        )
    else '[]'::jsonb end
from scope.unverified_event as e
where not e.is_flood
