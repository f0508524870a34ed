-- One row: one table of schema tieout whose statistics say little about what it holds now of account $1: it was never
-- analysed, its size has doubled or halved since, or more has come than the account was believed to have. whole: the
-- partitioned table that it is part of, else itself.
-- A bulk load is judged before the server's own housekeeping comes by, and without statistics the planner takes an
-- account for one row and compares all with all. Tables below 64 KiB are analysed once: for so few rows the housekeeping
-- never comes, and one source that is taken for two hundred divides every estimate by as many. A partitioned table has
-- statistics of its own, which the housekeeping never makes; they are old when its rows, as far as its partitions know,
-- have doubled. An account whose first night comes last doubles nothing, and would be taken for one row of millions.
with leaf as (
    select
        c.oid,
        i.inhparent as parent,
        c.relname,
        c.relpages,
        greatest(c.reltuples, 0) as tuples,
        (pg_relation_size(c.oid) / 8192)::int as pages,
        -- A load may have had its keys measured alone.
        (select count(*) from pg_stats as s where s.schemaname = 'tieout' and s.tablename = c.relname) * 2
        >= (
            select count(*)
            from pg_attribute as a
            where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and coalesce(a.attstattarget, -1) <> 0
        ) as is_known,
        pg_stat_get_mod_since_analyze(c.oid) > 100 + greatest(c.reltuples, 0) * coalesce((
            select f.share
            from pg_stats as s
            cross join unnest(s.most_common_vals::text::text[], s.most_common_freqs) as f (account, share)
            where s.schemaname = 'tieout'
                and s.tablename = c.relname
                and s.attname = 'account_id'
                and not s.inherited
                and f.account = $1::bigint::text
        ), 0) as is_outgrown
    from pg_class as c
    left join pg_inherits as i on i.inhrelid = c.oid
    where c.relnamespace = 'tieout'::regnamespace and c.relkind = 'r'
),

whole as (
    select
        p.oid,
        p.relname,
        p.reltuples,
        sum(l.tuples) as tuples,
        sum(l.pages) as pages
    from pg_class as p
    inner join leaf as l on l.parent = p.oid
    where p.relnamespace = 'tieout'::regnamespace and p.relkind = 'p'
    group by p.oid, p.relname, p.reltuples
)

select p.relname::text as name, p.relname::text as whole
from whole as p
where p.pages >= 8 and (p.reltuples < 0 or p.tuples > p.reltuples * 2 + 100)
union all
select l.relname::text, coalesce(w.relname, l.relname)::text
from leaf as l
left join whole as w on w.oid = l.parent
where l.pages > 0
    and (
        not l.is_known
        or (l.pages >= 8 and (l.is_outgrown or l.pages > l.relpages * 2 or l.pages * 2 < l.relpages))
    )
    -- Else analysed together with the whole.
    and coalesce(w.reltuples, 0) >= 0
order by name
