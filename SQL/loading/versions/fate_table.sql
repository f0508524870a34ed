-- One row: what becomes of one good row of the file in hand, whose records are {rows} and told by {key}.
-- new, changed: becomes current · late: an older version, straight to history · unchanged: known already ·
-- duplicate: twice in this file.
create temp table {fates} on commit drop as
with once as (
    select
        {row_key},
        r.line_no,
        r.version_time,
        r.state_rank,
        r.request_started_at,
        r.content_hash,
        row_number() over (partition by {row_key}, r.version_time, r.content_hash order by r.line_no) as copy
    from {rows} r
    where r.reason is null
),

met as (
    select
        {row_key},
        r.line_no,
        r.version_time,
        r.state_rank,
        r.request_started_at,
        r.content_hash,
        c.content_hash is null as is_unknown,
        (r.version_time, r.state_rank, r.request_started_at, r.content_hash)
            > (c.version_time, c.state_rank, c.request_started_at, c.content_hash) as is_ahead,
        case
            when r.copy > 1 then 'duplicate'
            when r.content_hash = c.content_hash then 'unchanged'
            when exists (
                select 1
                from tieout.{table}_history o
                where {match} and o.content_hash = r.content_hash and o.version_time = r.version_time
            ) then 'unchanged'
        end as known_as
    from once r
    left join tieout.{table} c using ({key})
),

ranked as (
    select
        r.line_no,
        r.known_as,
        r.is_unknown,
        r.is_ahead,
        row_number() over (
            partition by {row_key}, r.known_as is null
            order by r.version_time desc, r.state_rank desc, r.request_started_at desc, r.content_hash desc
        ) as place
    from met r
)

select
    r.line_no,
    case
        when r.known_as is not null then r.known_as
        when r.place = 1 and r.is_unknown then 'new'
        when r.place = 1 and r.is_ahead then 'changed'
        else 'late'
    end as fate
from ranked r
