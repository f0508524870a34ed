-- One row: how many answers one of the five questions has, in the order duplicate, unsettled, webhook state, amount,
-- expired. As short as they can be said: no terms, no coverage, no evidence for a reader.
select count(*)
from (
    select row_number() over (partition by c.order_id order by c.created_at, c.transaction_id) as place
    from bench.charge as c
    where c.money in ('held', 'taken', 'delivered') and c.order_id is not null
) as d
where d.place > 1;

select count(*)
from (
    select
        c.created_at - lag(c.created_at) over (
            partition by c.customer_id, c.wallet_address, c.direction, c.charged, c.charged_currency
            order by c.created_at
        ) as gap
    from bench.charge as c
    where c.money in ('held', 'taken', 'delivered')
) as d
where d.gap < interval '24 hours';

select count(*)
from bench.charge as c
where c.money = 'taken'
    and c.state not in ('settled', 'failed', 'declined', 'cancelled', 'expired', 'refunded')
    and c.created_at < (select max(m.created_at) from bench.charge as m) - interval '24 hours';

select count(*)
from bench.charge as c
left join (
    select distinct on (e.transaction_id) e.transaction_id, e.state
    from bench.event as e
    where e.verdict = 'valid'
    order by e.transaction_id, e.event_time desc, e.state_rank desc
) as l on l.transaction_id = c.transaction_id
where l.state is distinct from c.state;

select count(*)
from bench.charge as c
inner join bench.book as b on b.order_id = c.order_id
where c.money in ('taken', 'delivered') and (c.charged <> b.amount or c.charged_currency <> b.currency);

select count(*)
from bench.book as b
where b.status in ('open', 'pending', 'paid')
    and b.expires_at < (select max(m.created_at) from bench.charge as m)
    and not exists (
        select 1
        from bench.charge as c
        where c.order_id = b.order_id and c.money <> 'none'
    );
