-- One row: one break that stands (open or acknowledged), with its age. Age is counted in calendar days of the
-- account's zone from the due time, else the fact's own time; for a reopened break from the start of the new spell.
select
    b.*,
    g.age_days,
    case
        when g.age_days <= 1 then '0–1'
        when g.age_days <= 7 then '2–7'
        when g.age_days <= 30 then '8–30'
        when g.age_days <= 60 then '31–60'
        when g.age_days <= 90 then '61–90'
        else '91+'
    end as bucket,
    b.opened_run_id > {since_run} and not b.is_reopened and not b.is_baseline as is_new,
    b.opened_run_id > {since_run} and b.is_reopened as is_reopened_now
from {breaks} b
join tieout.account a on a.account_id = b.account_id
cross join lateral (
    select greatest(0,
        ({as_of} at time zone a.zone)::date
        - ((case when b.is_reopened then b.opened_at else coalesce(b.due_at, b.event_at, b.opened_at) end)
            at time zone a.zone)::date) as age_days
    -- A fence: else the age is worked out anew for each limit of the bucket.
    offset 0
) g
where b.state in ('open', 'acknowledged')
