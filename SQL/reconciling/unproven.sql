-- One row put in: one transaction that an event of a flood without proof speaks of: whether its event came nobody knows,
-- as long as a key may still prove it (exact bytes are kept for 30 days). $1 account, $2 as_of.
insert into run_unproven (source_id, transaction_id)
select distinct e.source_id, e.transaction_id
from run_unverified as u
inner join tieout.webhook_event as e
    on e.account_id = $1 and e.source_id = u.source_id and e.run_id = u.run_id
inner join scope.source as s
    on s.account_id = e.account_id and s.source_id = e.source_id
where u.is_flood
    and u.since > $2::timestamptz - interval '30 days'
    and e.verdict <> 'valid'
    and not (e.verdict = 'unsigned' and s.unsigned_counts)
    and e.transaction_id is not null
