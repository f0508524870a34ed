-- One row: what becomes of one good row of the book file in hand.
-- new, changed: becomes current · late: an older version, straight to history · unchanged: known already ·
-- duplicate: twice in this file.
create temp table book_fate on commit drop as
with once as (
    select
        r.line_no,
        r.account_id,
        r.order_id,
        r.version_time,
        r.state_rank,
        r.request_started_at,
        r.content_hash,
        row_number() over (
            partition by r.account_id, r.order_id, r.version_time, r.content_hash
            order by r.line_no
        ) as copy
    from book_row r
    where r.reason is null
),

met as (
    select
        o.line_no,
        o.account_id,
        o.order_id,
        o.version_time,
        o.state_rank,
        o.request_started_at,
        o.content_hash,
        c.order_id is null as is_unknown,
        (o.version_time, o.state_rank, o.request_started_at, o.content_hash)
            > (c.version_time, c.state_rank, c.request_started_at, c.content_hash) as is_ahead,
        case
            when o.copy > 1 then 'duplicate'
            when o.content_hash = c.content_hash then 'unchanged'
            when exists (
                select 1
                from tieout.book_order_history h
                where h.account_id = o.account_id and h.order_id = o.order_id
                    and h.content_hash = o.content_hash and h.version_time = o.version_time
            ) then 'unchanged'
        end as known_as
    from once o
    left join tieout.book_order c on c.account_id = o.account_id and c.order_id = o.order_id
),

ranked as (
    select
        m.line_no,
        m.known_as,
        m.is_unknown,
        m.is_ahead,
        row_number() over (
            partition by m.account_id, m.order_id, m.known_as is null
            order by m.version_time desc, m.state_rank desc, m.request_started_at desc, m.content_hash desc
        ) as place
    from met m
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
