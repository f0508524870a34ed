-- One row: one source, with the identity space in which its provider's ids are names: its own name, or that of the
-- source it succeeds or lies beneath (chains of up to four).
-- Configuration carries no versions: as of any moment it is what it is now.
select
    s.account_id,
    s.source_id,
    s.provider,
    s.environment,
    s.life,
    s.succeeds,
    s.beneath,
    s.settles_to,
    coalesce(
        s3.succeeds, s3.beneath, s2.succeeds, s2.beneath, s1.succeeds, s1.beneath, s.succeeds, s.beneath, s.source_id
    ) as space,
    coalesce(s.declaration ->> 'signature', '') = 'none' as unsigned_counts,
    s.declaration
from tieout.source as s
left join tieout.source as s1
    on s1.account_id = s.account_id and s1.source_id = coalesce(s.succeeds, s.beneath)
left join tieout.source as s2
    on s2.account_id = s.account_id and s2.source_id = coalesce(s1.succeeds, s1.beneath)
left join tieout.source as s3
    on s3.account_id = s.account_id and s3.source_id = coalesce(s2.succeeds, s2.beneath)
