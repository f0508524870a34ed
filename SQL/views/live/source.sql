-- One row: one source, with the identity space in which its provider's ids are names: its own name, or that of the
-- source it succeeds or lies beneath (chains of up to four). origin: the oldest source of the line of which each succeeds
-- the one before; generation: its place in that line, 0 for the oldest. One id in two sources of a line is one record.
select
    s.account_id,
    s.source_id,
    s.provider,
    s.environment,
    s.life,
    s.life_since,
    s.succeeds,
    s.beneath,
    s.settles_to,
    coalesce(
        s3.succeeds, s3.beneath, s2.succeeds, s2.beneath, s1.succeeds, s1.beneath, s.succeeds, s.beneath, s.source_id
    ) as space,
    coalesce(p3.succeeds, p2.succeeds, p1.succeeds, s.succeeds, s.source_id) as origin,
    (s.succeeds is not null)::int + (p1.succeeds is not null)::int + (p2.succeeds is not null)::int
        + (p3.succeeds is not null)::int as generation,
    coalesce(s.declaration ->> 'signature', '') = 'none' as unsigned_counts,
    s.declaration
from tieout.source as s
left join tieout.source as s1
    on s1.account_id = s.account_id and s1.source_id = coalesce(s.succeeds, s.beneath)
left join tieout.source as s2
    on s2.account_id = s.account_id and s2.source_id = coalesce(s1.succeeds, s1.beneath)
left join tieout.source as s3
    on s3.account_id = s.account_id and s3.source_id = coalesce(s2.succeeds, s2.beneath)
left join tieout.source as p1
    on p1.account_id = s.account_id and p1.source_id = s.succeeds
left join tieout.source as p2
    on p2.account_id = s.account_id and p2.source_id = p1.succeeds
left join tieout.source as p3
    on p3.account_id = s.account_id and p3.source_id = p2.succeeds
