-- One row: one table of schema $1 whose shape could not be distributed by column $2 over several machines (Citus), and
-- what is wrong with it. No row is the only good answer. A table without that column stays local and may do as it likes,
-- except point at a distributed one.

with
-- Every ordinary or partitioned table of the schema, with its distribution column where it has one.
stored as (
    select
        c.oid as table_oid,
        c.relname as table_name,
        c.relkind,
        c.relispartition,
        c.relpersistence,
        a.attnum as key_number,
        a.atttypid as key_type,
        a.attgenerated as key_generated,
        a.attnotnull as key_required
    from pg_class c
    left join pg_attribute a
        on a.attrelid = c.oid
        and a.attname = $2
        and not a.attisdropped
    where c.relnamespace = (select oid from pg_namespace where nspname = $1)
        and c.relkind in ('r', 'p')
),

distributed as (
    select * from stored where key_number is not null
),

unique_index as (
    select d.table_name, d.key_number, i.indisprimary, i.indexrelid::regclass::text as index_name, i.indkey::int2[] as columns
    from distributed d
    join pg_index i on i.indrelid = d.table_oid
    where i.indisunique or i.indisexclusion
),

-- Foreign keys from one distributed table to anything, with the place of the distribution column on both sides.
reference as (
    select
        d.table_name,
        f.conname::text as name,
        f.confdeltype as on_delete,
        f.confupdtype as on_update,
        array_position(f.conkey, d.key_number) as place_here,
        array_position(f.confkey, target.key_number) as place_there
    from pg_constraint f
    join distributed d on d.table_oid = f.conrelid
    join distributed target on target.table_oid = f.confrelid
    where f.contype = 'f'
        and f.conparentid = 0
),

key_problem as (
    select table_name, 'the distribution column is not bigint' as problem
    from distributed
    where key_type <> 'bigint'::regtype
    union all
    select table_name, 'the distribution column is generated'
    from distributed
    where key_generated <> ''
    union all
    select table_name, 'the distribution column may be null'
    from distributed
    where not key_required
),

index_problem as (
    select d.table_name, 'no primary key' as problem
    from distributed d
    where not exists (select from unique_index u where u.table_name = d.table_name and u.indisprimary)
    union all
    select table_name, 'unique index without the distribution column: ' || index_name
    from unique_index
    where not key_number = any (columns)
),

table_problem as (
    select d.table_name, 'trigger: ' || t.tgname as problem
    from distributed d
    join pg_trigger t on t.tgrelid = d.table_oid
    where not t.tgisinternal
    union all
    select d.table_name, 'counter narrower than bigint: ' || a.attname
    from distributed d
    join pg_attribute a on a.attrelid = d.table_oid
    left join pg_attrdef v on v.adrelid = a.attrelid and v.adnum = a.attnum
    where a.atttypid in ('smallint'::regtype, 'integer'::regtype)
        and (a.attidentity <> '' or pg_get_expr(v.adbin, v.adrelid) like 'nextval(%')
    union all
    select table_name, 'unlogged'
    from distributed
    where relpersistence = 'u'
    union all
    select table_name, 'partitioned below a partition'
    from distributed
    where relkind = 'p' and relispartition
),

reference_problem as (
    select table_name, 'foreign key has the distribution column elsewhere: ' || name as problem
    from reference
    where place_there is not null and place_here is distinct from place_there
    union all
    select table_name, 'foreign key action would change the distribution column: ' || name
    from reference
    where place_there is not null and (on_delete in ('n', 'd') or on_update in ('n', 'd', 'c'))
    union all
    select local.table_name, 'local table points at a distributed one: ' || f.conname
    from pg_constraint f
    join stored local on local.table_oid = f.conrelid and local.key_number is null
    join distributed target on target.table_oid = f.confrelid
    where f.contype = 'f'
)

select table_name, problem from key_problem
union all
select table_name, problem from index_problem
union all
select table_name, problem from table_problem
union all
select table_name, problem from reference_problem
order by table_name, problem
