-- One row: one known delivery that a key found since proves. $1 account, $2 source, $3 run, $4 ledger time.
update tieout.webhook_delivery d set
    run_id = $3,
    observed_at = $4,
    verdict = l.verdict,
    key_fingerprint = l.key_fingerprint,
    evidence_pack = l.evidence_pack,
    evidence_offset = l.evidence_offset,
    evidence_length = l.evidence_length
from webhook_landed l
join tieout.webhook_event e on e.account_id = $1 and e.source_id = $2 and e.event_key = l.event_key
where l.is_evidence
    and d.account_id = $1 and d.source_id = $2 and d.event_key = l.event_key and d.received_at = l.received_at
    and d.delivery_digest = l.delivery_digest and d.evidence_pack is null
