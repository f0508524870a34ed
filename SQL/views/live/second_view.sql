-- One row: one transaction that shows a charge for which another row stands already, its primary. Counted and judged is
-- the primary alone. A row that is not here is a charge of its own, whatever source shows it: failing over is how double
-- charges happen. how, in the order in which it is decided:
--   succeeded   the same id in a source that succeeds this one: one record, the newest source's stands
--   parent      a second view by the same provider, which names its transaction
--   inside      the same, known by a shared reference, else by equal charges, one to one in the order of time
--   reference   its source lies beneath the primary's; they share a reference other than the book's, one to one in time
--   equal       the same without one: the row above is carried out by this provider, with an equal charge, one to one in
--               time. Where only one of two has money they are not taken for one: nothing would be counted twice
with slot as (
    -- Where the rows of each source (by the origin of its line) may have their primary.
    select s.account_id, s.source_id as lower_source, s.source_id as upper_source, true as is_inside, s.origin as line
    from scope.source as s
    union all
    select s.account_id, s.source_id, u.source_id, false, s.origin
    from scope.source as s
    inner join scope.source as b
        on b.account_id = s.account_id and b.source_id = s.beneath
    inner join scope.source as u
        on u.account_id = s.account_id and u.origin = b.origin
),

-- Nothing is read where no source has a second view of anything.
gate as (
    select
        exists (select 1 from scope.source as s where s.beneath is not null or s.succeeds is not null)
        or exists (
            select 1
            from scope.transaction as x
            where x.resource <> 'transaction'
        ) as is_open
),

every as materialized (
    select
        w.*,
        row_number() over (order by w.account_id, w.created_at, w.source_id, w.resource, w.transaction_id) as n
    from (
        select
            t.account_id,
            t.payment_id,
            t.direction,
            t.source_id,
            t.resource,
            t.transaction_id,
            t.parent_id,
            t.created_at,
            t.charged,
            -- Not every list names the network of an asset: USDC_BASE and USDC are one.
            split_part(t.charged_currency, '_', 1) as charged_currency,
            t.money = 'none' as is_none,
            t.refs,
            s.origin,
            s.generation,
            s.provider as own_name,
            -- The aggregator's word for who carries it out, as the catalogue calls it.
            coalesce(s.declaration -> 'provider_names' ->> t.provider, lower(t.provider)) as carrier,
            count(*) over (partition by t.account_id, t.payment_id) as of_payment
        from scope.transaction as t
        inner join scope.source as s
            on s.account_id = t.account_id and s.source_id = t.source_id
        where t.payment_id is not null
            and not t.is_test
            and (select g.is_open from gate as g)
    ) as w
    where w.of_payment > 1
),

succeeded as (
    select distinct on (o.n) o.n as lower_n, e.n as upper_n, 'succeeded' as how
    from every as o
    inner join every as e
        on e.account_id = o.account_id
        and e.payment_id = o.payment_id
        and e.origin = o.origin
        and e.resource = o.resource
        and e.transaction_id = o.transaction_id
        and (e.generation, e.source_id) > (o.generation, o.source_id)
    order by o.n, e.generation desc, e.source_id desc
),

charge as materialized (
    select e.*
    from every as e
    where not exists (select 1 from succeeded as s where s.lower_n = e.n)
),

parented as (
    select distinct on (b.n) b.n as lower_n, a.n as upper_n, 'parent' as how
    from charge as b
    inner join charge as a
        on a.account_id = b.account_id
        and a.payment_id = b.payment_id
        and a.source_id = b.source_id
        and a.resource = 'transaction'
        and a.transaction_id = b.parent_id
    where b.resource <> 'transaction'
    order by b.n, a.n
),

-- References that name a charge, or what it belongs to; the book's name an order, which may have several charges.
named as materialized (
    select
        c.n,
        c.account_id,
        c.payment_id,
        c.direction,
        c.source_id,
        c.resource,
        u.ref,
        case when u.ref like '%:transaction=%' then 1 when u.ref like 'chain:tx=%' then 2 else 3 end as weight
    from charge as c
    cross join unnest(c.refs) as u (ref)
    where u.ref not like 'book:%'
),

-- The k-th of a source that carries a reference goes with the k-th of the other side.
inside_lower as (
    select
        m.*,
        row_number() over (partition by m.account_id, m.payment_id, m.direction, m.source_id, m.ref order by m.n) as k
    from named as m
    where m.resource <> 'transaction' and m.n not in (select p.lower_n from parented as p)
),

inside_upper as (
    select
        m.*,
        row_number() over (partition by m.account_id, m.payment_id, m.direction, m.source_id, m.ref order by m.n) as k
    from named as m
    where m.resource = 'transaction' and m.n not in (select p.upper_n from parented as p)
),

inside_named as (
    select distinct on (w.upper_n) w.lower_n, w.upper_n, 'inside' as how
    from (
        select distinct on (b.n) b.n as lower_n, a.n as upper_n, b.weight
        from inside_lower as b
        inner join inside_upper as a
            on a.account_id = b.account_id
            and a.payment_id = b.payment_id
            and a.direction = b.direction
            and a.source_id = b.source_id
            and a.ref = b.ref
            and a.k = b.k
        order by b.n, b.weight, b.ref
    ) as w
    order by w.upper_n, w.weight, w.lower_n
),

inside_paired as (
    select p.lower_n, p.upper_n, p.how from parented as p
    union all
    select p.lower_n, p.upper_n, p.how from inside_named as p
),

inside_alike as (
    select
        c.*,
        row_number() over (
            partition by
                c.account_id, c.payment_id, c.direction, c.source_id, c.resource = 'transaction', c.charged,
                c.charged_currency, c.is_none
            order by c.n
        ) as k
    from charge as c
    where c.charged is not null
        and c.n not in (select p.lower_n from inside_paired as p)
        and c.n not in (select p.upper_n from inside_paired as p)
),

inside as (
    select p.lower_n, p.upper_n, p.how from inside_paired as p
    union all
    select b.n, a.n, 'inside'
    from inside_alike as b
    inner join inside_alike as a
        on a.account_id = b.account_id
        and a.payment_id = b.payment_id
        and a.direction = b.direction
        and a.source_id = b.source_id
        and a.resource = 'transaction'
        and a.charged = b.charged
        and a.charged_currency = b.charged_currency
        and a.is_none = b.is_none
        and a.k = b.k
    where b.resource <> 'transaction'
),

above_lower as (
    select
        m.*,
        l.line,
        row_number() over (partition by m.account_id, m.payment_id, m.direction, l.line, m.ref order by m.n) as k
    from named as m
    inner join (select distinct s.account_id, s.lower_source, s.line from slot as s where not s.is_inside) as l
        on l.account_id = m.account_id and l.lower_source = m.source_id
    where m.n not in (select p.lower_n from inside as p)
),

above_upper as (
    select
        m.*,
        l.line,
        row_number() over (partition by m.account_id, m.payment_id, m.direction, l.line, m.ref order by m.n) as k
    from named as m
    inner join (select distinct s.account_id, s.upper_source, s.line from slot as s where not s.is_inside) as l
        on l.account_id = m.account_id and l.upper_source = m.source_id
    where m.n not in (select p.lower_n from inside as p)
),

above_named as (
    select distinct on (w.upper_n, w.line) w.lower_n, w.upper_n, w.line, 'reference' as how
    from (
        select distinct on (b.n) b.n as lower_n, a.n as upper_n, b.line, b.weight
        from above_lower as b
        inner join above_upper as a
            on a.account_id = b.account_id
            and a.payment_id = b.payment_id
            and a.direction = b.direction
            and a.line = b.line
            and a.ref = b.ref
            and a.k = b.k
        order by b.n, b.weight, b.ref
    ) as w
    order by w.upper_n, w.line, w.weight, w.lower_n
),

above_alike as (
    select
        w.*,
        row_number() over (
            partition by
                w.account_id, w.payment_id, w.direction, w.line, w.is_lower, w.charged, w.charged_currency, w.is_none
            order by w.n
        ) as k
    from (
        select c.*, l.line, true as is_lower
        from charge as c
        inner join (select distinct s.account_id, s.lower_source, s.line from slot as s where not s.is_inside) as l
            on l.account_id = c.account_id and l.lower_source = c.source_id
        where c.n not in (select p.lower_n from above_named as p)
        union all
        select c.*, l.line, false
        from charge as c
        inner join (
            select distinct s.account_id, s.upper_source, s.line, o.provider
            from slot as s
            inner join scope.source as o
                on o.account_id = s.account_id and o.source_id = s.lower_source
            where not s.is_inside
        ) as l
            on l.account_id = c.account_id and l.upper_source = c.source_id and l.provider = c.carrier
        where not exists (select 1 from above_named as p where p.upper_n = c.n and p.line = l.line)
    ) as w
    where w.charged is not null and w.n not in (select p.lower_n from inside as p)
),

pair as (
    select p.lower_n, p.upper_n, p.how from succeeded as p
    union all
    select p.lower_n, p.upper_n, p.how from inside as p
    union all
    select p.lower_n, p.upper_n, p.how from above_named as p
    union all
    select b.n, a.n, 'equal'
    from above_alike as b
    inner join above_alike as a
        on a.account_id = b.account_id
        and a.payment_id = b.payment_id
        and a.direction = b.direction
        and a.line = b.line
        and a.charged = b.charged
        and a.charged_currency = b.charged_currency
        and a.is_none = b.is_none
        and a.k = b.k
    where b.is_lower and not a.is_lower
)

select
    b.account_id,
    b.payment_id,
    b.direction,
    b.source_id,
    b.resource,
    b.transaction_id,
    -- As members are named.
    case b.resource when 'transaction' then b.transaction_id else b.resource || '/' || b.transaction_id end
        as record_id,
    p.how,
    a.source_id as primary_source_id,
    a.resource as primary_resource,
    a.transaction_id as primary_transaction_id
from pair as p
inner join every as b on b.n = p.lower_n
inner join every as a on a.n = p.upper_n
