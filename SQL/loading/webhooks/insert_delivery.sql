-- One row: one delivery that is not known yet. $1 account, $2 source, $3 run, $4 ledger time.
insert into tieout.webhook_delivery (
    account_id, source_id, event_key, received_at, delivery_digest, run_id, observed_at, verdict, key_fingerprint,
    applied, out_of_order, retry_count, url, signature_headers, body_digest, kept_digest, evidence_pack, evidence_offset,
    evidence_length, file_digest, line_no, is_fetched
)
select
    $1,
    $2,
    l.event_key,
    l.received_at,
    l.delivery_digest,
    $3,
    $4,
    l.verdict,
    l.key_fingerprint,
    e.is_candidate and e.is_evidence,
    false,
    l.retry_count,
    l.url,
    l.signature_headers::jsonb,
    l.body_digest,
    l.kept_digest,
    l.evidence_pack,
    l.evidence_offset,
    l.evidence_length,
    l.file_digest,
    l.line_no,
    l.is_fetched
from webhook_landed l
join webhook_every e on e.event_key = l.event_key and e.received_at = l.received_at
    and e.delivery_digest = l.delivery_digest
where e.is_landed
