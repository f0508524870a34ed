-- One row: one version of a source's transactions, in the order in which their bytes are kept: current ones, and of other
-- bytes the newest reading. $1 account, $2 source, $3 resource; behind run $4, pack $5, offset $6, id $7.
select
    v.transaction_id,
    v.run_id,
    v.evidence_pack,
    v.evidence_offset,
    v.evidence_length,
    v.content_hash,
    v.request_started_at,
    v.is_current
from (
    select
        t.transaction_id,
        t.run_id,
        t.evidence_pack,
        t.evidence_offset,
        t.evidence_length,
        t.content_hash,
        t.request_started_at,
        true as is_current
    from tieout.transaction as t
    where t.account_id = $1 and t.source_id = $2 and t.resource = $3
    union all
    (
        select distinct on (h.transaction_id, h.raw_hash, h.request_started_at)
            h.transaction_id,
            h.run_id,
            h.evidence_pack,
            h.evidence_offset,
            h.evidence_length,
            h.content_hash,
            h.request_started_at,
            false
        from tieout.transaction_history as h
        where h.account_id = $1
            and h.source_id = $2
            and h.resource = $3
            and not exists (
                select 1
                from tieout.transaction as t
                where t.account_id = h.account_id
                    and t.source_id = h.source_id
                    and t.resource = h.resource
                    and t.transaction_id = h.transaction_id
                    and t.raw_hash = h.raw_hash
            )
        order by h.transaction_id, h.raw_hash, h.request_started_at, h.observed_at desc
    )
) as v
where (v.run_id, v.evidence_pack, v.evidence_offset, v.transaction_id) > ($4::bigint, $5::int, $6::int, $7 collate "C")
order by v.run_id, v.evidence_pack, v.evidence_offset, v.transaction_id
