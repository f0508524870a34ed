-- One row: one event of the break of rule $2 and subject $3, with the reason that was given, where it is still kept.
select e.*, r.body as reason
from tieout.break_event as e
left join tieout.break_reason as r
    on r.account_id = e.account_id and r.digest = e.reason_digest
where e.account_id = $1 and e.rule = $2 and e.subject = $3
order by e.seq
