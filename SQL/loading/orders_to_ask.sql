-- One row: one order that the book expects to be paid through source $2, or that a line of its settlement files names, and
-- that no stored payment names; refs lists what else is known of it. Orders created before $3 are asked for only when they
-- became known or changed after $4, the last complete poll (null: all are); so are those that only lines name. Of younger
-- ones those that the book calls paid, or more, are asked for in each poll; of the others, most of which nobody will ever
-- pay, each is when it is new or has changed, for three days, and then at the ages listed. One for which the provider had no usable
-- answer is asked for until it has. $1 account, $5 now.
with unread as materialized (
    select distinct u.ref
    from tieout.quarantine as q
    cross join unnest(q.refs) as u (ref)
    where q.account_id = $1
        and q.source_id = $2
        and q.feed = 'provider'
        and q.state = 'open'
        and q.record_id is null
        and q.reason like 'unread: %'
),

paid as (
    select distinct u.ref
    from tieout.transaction as t
    cross join unnest(t.refs) as u (ref)
    where t.account_id = $1
        and t.source_id = $2
        and t.resource = 'transaction'
        and (u.ref like 'book:order=%' or u.ref like '%:transaction=%')
),

wanted as (
    select
        substr(u.ref, length('book:order=') + 1) as order_id,
        coalesce(l.happened_at, l.settled_at, l.observed_at) as created_at,
        null::text as customer_id,
        l.refs
    from tieout.settlement_line as l
    cross join unnest(l.refs) as u (ref)
    where l.account_id = $1
        and l.source_id = $2
        and ($4::timestamptz is null or l.observed_at >= $4 or u.ref in (select n.ref from unread as n))
        and u.ref like 'book:order=%'
    union all
    select o.order_id, o.created_at, o.customer_id, o.refs
    from tieout.book_order as o
    where o.account_id = $1
        and o.source_id = $2
        and (
            $4::timestamptz is null
            or o.observed_at >= $4
            or 'book:order=' || o.order_id in (select n.ref from unread as n)
            or (
                o.created_at >= $3
                and (
                    o.status in ('paid', 'credited', 'refunded', 'disputed')
                    or o.created_at > $5::timestamptz - interval '72 hours'
                    or exists (
                        select 1
                        from unnest(array[3, 4, 5, 7, 10, 14, 21, 29]) as u (days)
                        where o.created_at + u.days * interval '24 hours' > $4
                            and o.created_at + u.days * interval '24 hours' <= $5
                    )
                )
            )
        )
),

-- What book and lines know of one order is one question.
whole as (
    select
        w.order_id collate "C" as order_id,
        min(w.created_at) as created_at,
        min(w.customer_id) as customer_id,
        array_agg(distinct u.ref) as refs
    from wanted as w
    cross join unnest(w.refs) as u (ref)
    group by w.order_id
),

-- Where payments do not name the order, the order may name its payment.
answered as (
    select distinct w.order_id
    from whole as w
    cross join unnest(w.refs || ('book:order=' || w.order_id)) as u (ref)
    inner join paid on paid.ref = u.ref
)

select w.order_id, w.created_at, w.customer_id, w.refs
from whole as w
left join answered as a on a.order_id = w.order_id
where a.order_id is null
order by w.created_at desc, w.order_id
