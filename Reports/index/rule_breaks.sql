-- One row: one standing break of one rule, the worst first; long texts cut (breaks.csv holds them whole).
-- The relation of breaks is SQL/reporting/worst.sql here.
select
    b.break_id,
    b.severity,
    b.state,
    left(b.source_id, 161) as source,
    left(b.subject, 161) as subject,
    left(b.order_id, 161) as order_id,
    left(b.transaction_id, 161) as transaction_id,
    b.currency,
    b.difference::text as difference,
    b.at_risk::text as at_risk,
    to_char(b.due_at at time zone a.zone, 'YYYY-MM-DD HH24:MI') as due,
    to_char(b.opened_at at time zone a.zone, 'YYYY-MM-DD') as opened,
    to_char(b.incomplete_since at time zone a.zone, 'YYYY-MM-DD HH24:MI') as incomplete_since,
    b.age_days::bigint as age_days,
    b.bucket,
    b.primary_break_id,
    b.is_new,
    b.is_reopened_now,
    b.is_baseline,
    left(b.owner, 81) as owner,
    f.names,
    f.a,
    f.b,
    f.a_from,
    f.b_from,
    f.more::bigint as more
from {standing} b
join tieout.account a on a.account_id = b.account_id
cross join lateral (
    select
        coalesce(array_agg(left(x.value ->> 'field', 81) order by x.n) filter (where x.n <= 4), '{}') as names,
        coalesce(array_agg(coalesce(left(x.value ->> 'a', 161), e'\x01') order by x.n) filter (where x.n <= 4), '{}') as a,
        coalesce(array_agg(coalesce(left(x.value ->> 'b', 161), e'\x01') order by x.n) filter (where x.n <= 4), '{}') as b,
        coalesce(array_agg(coalesce(left(x.value ->> 'a_from', 81), '') order by x.n) filter (where x.n <= 4), '{}') as a_from,
        coalesce(array_agg(coalesce(left(x.value ->> 'b_from', 81), '') order by x.n) filter (where x.n <= 4), '{}') as b_from,
        greatest(0, count(*) - 4) as more
    from jsonb_array_elements(case jsonb_typeof(b.facts) when 'array' then b.facts else '[]' end)
        with ordinality as x (value, n)
) f
order by
    case b.severity when 'critical' then 1 when 'high' then 2 when 'medium' then 3 when 'low' then 4 else 5 end,
    b.primary_break_id is not null,
    b.at_risk desc,
    case when b.is_reopened then b.opened_at else coalesce(b.due_at, b.event_at, b.opened_at) end,
    b.subject collate "C"
