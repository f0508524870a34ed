-- One row: one source with the life that it had at as_of. A life that began later hides the one
-- before it, which is not kept: the source counts as active then.
select
    s.account_id,
    s.source_id,
    s.provider,
    s.environment,
    case when s.life_since > {as_of} then 'active' else s.life end as life,
    case when s.life_since <= {as_of} then s.life_since end as life_since,
    s.declaration
from tieout.source s
where s.account_id = {account}
