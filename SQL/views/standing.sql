-- One row: how many live views there are, and what they were made of (null: not known). $1 the view that carries the note.
select
    (
        select count(*)
        from pg_class as c
        where c.relnamespace = 'scope'::regnamespace and c.relkind = 'v'
    ) as views,
    obj_description(to_regclass($1), 'pg_class') as mark
