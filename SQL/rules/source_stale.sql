-- rule: source_stale
-- title: Data are out of date
-- severity: medium
-- grain: source
-- needs:
-- proves: presence
-- why: What a source tells us ends earlier than it may: whatever happened since then has not been checked.
-- fix: See why it is not read (tieout sources, tieout check). What rests on it stays open until it is read again.

-- One row: one source that is still read and of which a feed ends longer ago than it may; each such feed is a field.
select
    f.account_id,
    f.source_id,
    null::bigint as payment_id,
    'source:' || f.source_id as subject,
    'medium' as severity,
    0::numeric as difference,
    0::numeric as at_risk,
    null::text as currency,
    min(f.watermark + f.max_age) as due_at,
    jsonb_agg(
        jsonb_build_object(
            'field', f.feed,
            'a', 'at most ' || trim_scale(round(extract(epoch from f.max_age) / 3600, 2)) || ' hours old',
            'b', coalesce(
                'complete up to ' || to_char(f.watermark at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
                'never complete'
            ),
            'a_from', 'configuration',
            'b_from', f.feed
        )
        order by f.feed
    ) as fields
from scope.feed as f
inner join scope.source as s
    on s.account_id = f.account_id and s.source_id = f.source_id and s.life <> 'retired'
where f.is_old
group by f.account_id, f.source_id
