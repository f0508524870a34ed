-- One row put in: when one transaction with money taken is due. $1 account, then the terms as parallel arrays ($2
-- ordinal, $3 source, $4 method, $5 direction, $6 currency, '' for any; $7 amount, $8 unit, $9 cut-off as an interval
-- after local midnight or '', $10 zone, $11 calendars such as US+BR, '' for every day but weekends; $12 provider, '' for
-- any). The most specific term wins, the later row among equals. A business-day term is due on its last day, at the cut-off or else at the
-- local time of day at which the money was taken; what is taken after the cut-off counts from the next day.
insert into run_due (account_id, source_id, resource, transaction_id, taken_at, due_at, twice_at, term)
with term as (
    select
        u.ordinal, u.source_id, u.provider, u.method, u.direction, u.currency, u.amount, u.unit,
        nullif(u.cut_off, '')::interval as cut_off, u.zone, u.calendars
    from unnest(
        $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::text[], $9::text[],
        $10::text[], $11::text[], $12::text[]
    ) as u (ordinal, source_id, method, direction, currency, amount, unit, cut_off, zone, calendars, provider)
),

taken as (
    select
        t.account_id, t.source_id, t.resource, t.transaction_id, t.taken_at, t.payment_method, t.direction,
        t.charged_currency, s.provider
    from scope.transaction as t
    left join scope.source as s
        on s.account_id = t.account_id and s.source_id = t.source_id
    where t.account_id = $1 and t.money = 'taken' and t.taken_at is not null
),

chosen as (
    select distinct on (t.source_id, t.resource, t.transaction_id)
        t.account_id,
        t.source_id,
        t.resource,
        t.transaction_id,
        t.taken_at,
        e.amount,
        e.unit,
        e.cut_off,
        e.zone,
        e.calendars,
        t.taken_at at time zone e.zone as local_at
    from taken as t
    inner join term as e
        on e.source_id in ('', t.source_id)
        and e.provider in ('', coalesce(t.provider, ''))
        and e.method in ('', coalesce(t.payment_method, ''))
        and e.direction in ('', t.direction)
        and e.currency in ('', coalesce(t.charged_currency, ''))
    order by
        t.source_id,
        t.resource,
        t.transaction_id,
        (e.source_id <> '')::int * 16 + (e.provider <> '')::int * 8 + (e.method <> '')::int * 4 + (e.direction <> '')::int * 2
            + (e.currency <> '')::int desc,
        e.ordinal desc
),

span as (
    select min(local_at)::date - 7 as first_day, max(local_at)::date + (max(amount) * 4 + 40)::int as last_day
    from chosen
    where unit = 'business_days'
),

-- Numbered so that adding to the number counts business days; a day off carries the number of the day before it.
calendar as (
    select
        k.calendars,
        d.day::date as day,
        count(*) filter (where w.is_open) over (partition by k.calendars order by d.day) as n,
        w.is_open
    from (select distinct calendars from chosen where unit = 'business_days') as k
    cross join span as s
    cross join generate_series(s.first_day::timestamp, s.last_day::timestamp, interval '1 day') as d (day)
    cross join lateral (
        select extract(isodow from d.day) < 6
            and not exists (
                select 1
                from tieout.holiday as h
                where h.calendar = any(string_to_array(k.calendars, '+')) and h.day = d.day::date
            ) as is_open
    ) as w
),

dated as (
    select
        c.*,
        case when c.cut_off is null then c.local_at::date else tieout.business_day(c.taken_at, c.zone, c.cut_off) end
            as day,
        -- How long after the midnight of its date a business day ends; without a cut-off the payment's own time of day.
        case
            when c.cut_off is null then c.local_at::time::interval
            when c.cut_off > interval '12 hours' then c.cut_off
            else c.cut_off + interval '24 hours'
        end as ends
    from chosen as c
)

select
    d.account_id,
    d.source_id,
    d.resource,
    d.transaction_id,
    d.taken_at,
    case d.unit
        when 'minutes' then d.taken_at + d.amount * interval '1 minute'
        when 'hours' then d.taken_at + d.amount * interval '1 hour'
        else (once.day + d.ends) at time zone d.zone
    end as due_at,
    case d.unit
        when 'minutes' then d.taken_at + 2 * d.amount * interval '1 minute'
        when 'hours' then d.taken_at + 2 * d.amount * interval '1 hour'
        else (twice.day + d.ends) at time zone d.zone
    end as twice_at,
    d.amount || ' ' || replace(d.unit, '_', ' ')
        || case when d.unit = 'business_days' and d.calendars <> '' then ' ' || d.calendars else '' end as term
from dated as d
left join calendar as start
    on d.unit = 'business_days' and start.calendars = d.calendars and start.day = d.day
-- Due the same day: on a day off that is the next open one.
cross join lateral (select case when d.amount = 0 and not start.is_open then 1 else 0 end as waits) as w
left join calendar as once
    on once.calendars = d.calendars and once.is_open and once.n = start.n + d.amount + w.waits
left join calendar as twice
    on twice.calendars = d.calendars and twice.is_open and twice.n = start.n + 2 * d.amount + w.waits
