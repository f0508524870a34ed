-- One row: one stored transaction whose state can still change, created outside the span $4 to $5 that was just walked.
-- Rows without money in them that are older than $6 are dormant: the deep sweep alone reads them. Where there is no list to
-- sweep ($7: back to when; null: there is one), each is read once a week of its own. Money that was held and used up by
-- another payment, its capture, is no money any more. $8 now, $9 the last complete poll (null: none yet).
select t.transaction_id
from tieout.transaction as t
where t.account_id = $1
    and t.source_id = $2
    and t.resource = $3
    and not t.is_final
    and (t.created_at < $4 or t.created_at > $5)
    and (
        t.created_at >= $6
        or (
            t.money <> 'none'
            and not (
                t.money = 'held'
                and exists (
                    select 1
                    from tieout.transaction as c
                    where c.account_id = t.account_id
                        and c.source_id = t.source_id
                        and c.parent_id = t.transaction_id
                        and c.resource = t.resource
                        and c.money in ('taken', 'delivered', 'returned')
                )
            )
        )
        or coalesce(t.after_held, 'none') <> 'none'
        or coalesce(t.after_taken, 'none') <> 'none'
        or coalesce(t.after_delivered, 'none') <> 'none'
        or (
            t.created_at >= $7::timestamptz
            and (
                $9::timestamptz is null
                or floor(extract(epoch from $8::timestamptz - t.created_at) / 604800)
                > floor(extract(epoch from $9::timestamptz - t.created_at) / 604800)
            )
        )
    )
order by t.created_at, t.transaction_id
