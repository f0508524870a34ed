-- One row: how many transactions a source holds and when the first and the last were created. They are counted only where
-- the number is not kept: a resource that was polled last before numbers were.
select
    coalesce(
        (
            select r.records
            from tieout.resource_state as r
            where r.account_id = $1
                and r.source_id = $2
                and r.resource = $3
        ),
        (
            select count(*)
            from tieout.transaction as t
            where t.account_id = $1
                and t.source_id = $2
                and t.resource = $3
        )
    ) as records,
    h.oldest,
    h.newest
from (
    select
        min(t.created_at) as oldest,
        max(t.created_at) as newest
    from tieout.transaction as t
    where t.account_id = $1
        and t.source_id = $2
        and t.resource = $3
) as h
