-- One row put in: one event behind the head of account $1's trail ($2 its seq, $3 its digest), in the order of rule and
-- subject. The head itself starts the chain as row 0.
insert into tieout.break_event
with e as (
    select
        $1::bigint as account_id,
        $2::bigint + row_number() over (order by r.rule, r.subject) as seq,
        r.*
    from run_event as r
),

link as (
    select $2::bigint as seq, $3::bytea as value
    union all
    select e.seq, {event_bytes} as value
    from e
),

chained as (
    select l.seq, tieout.chain(l.value) over (order by l.seq rows unbounded preceding) as digest
    from link as l
)

select e.*, c.digest
from e
inner join chained as c on c.seq = e.seq
