-- One row put in: the event that opened one break.
insert into tieout.break_event (account_id, seq, rule, subject, break_id, event, run_id, at, actor, state_to, severity,
    source_id, order_id, currency, difference, at_risk, due_at, opened_at, primary_break_id, facts, facts_digest, digest)
select 1, $1, $2, $3, $4, 'opened', $5, r.as_of, 'system', 'open', 'high', 'meld-live', $6, $7, $8::text::numeric,
    $9::text::numeric, $10::text::timestamptz, r.as_of, $11, $12, '\x00', sha256(convert_to($4, 'UTF8'))
from tieout.run r
where r.account_id = 1 and r.run_id = $5
