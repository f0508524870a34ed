-- One row: the first event of account $1 whose digest does not follow from what stands before it, or whose number is not
-- the next; no row where the trail is whole. $2 and $3: seq and digest that stand before the first event kept.
with link as (
    select $2::bigint as seq, $3::bytea as value, $3::bytea as stored
    union all
    select e.seq, {event_bytes} as value, e.digest as stored
    from tieout.break_event as e
    where e.account_id = $1
),

chained as (
    select
        l.seq,
        l.stored,
        tieout.chain(l.value) over (order by l.seq rows unbounded preceding) as digest,
        $2::bigint + row_number() over (order by l.seq) - 1 as expected_seq
    from link as l
)

select c.seq, c.expected_seq
from chained as c
where c.digest <> c.stored or c.seq <> c.expected_seq
order by c.seq
limit 1
