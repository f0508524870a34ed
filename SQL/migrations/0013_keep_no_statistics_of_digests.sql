-- Statistics serve the planner, and no condition asks for digests, positions within evidence or lists of references. To
-- sample and sort them after every load cost half of what analysing these tables costs. Changes no row.
alter table tieout.transaction
    alter column refs set statistics 0,
    alter column unmapped set statistics 0,
    alter column evidence_pack set statistics 0,
    alter column evidence_offset set statistics 0,
    alter column evidence_length set statistics 0,
    alter column raw_hash set statistics 0,
    alter column content_hash set statistics 0,
    alter column request_started_at set statistics 0,
    alter column fee_network set statistics 0,
    alter column fee_provider set statistics 0,
    alter column fee_partner set statistics 0,
    alter column fee_other set statistics 0;
alter table tieout.book_order
    alter column refs set statistics 0,
    alter column extra set statistics 0,
    alter column file_digest set statistics 0,
    alter column line_no set statistics 0,
    alter column content_hash set statistics 0,
    alter column request_started_at set statistics 0;
alter table tieout.webhook_event
    alter column refs set statistics 0,
    alter column evidence_pack set statistics 0,
    alter column evidence_offset set statistics 0,
    alter column evidence_length set statistics 0,
    alter column body_digest set statistics 0,
    alter column kept_digest set statistics 0,
    alter column key_fingerprint set statistics 0;
alter table tieout.webhook_delivery
    alter column delivery_digest set statistics 0,
    alter column url set statistics 0,
    alter column signature_headers set statistics 0,
    alter column evidence_pack set statistics 0,
    alter column evidence_offset set statistics 0,
    alter column evidence_length set statistics 0,
    alter column body_digest set statistics 0,
    alter column kept_digest set statistics 0,
    alter column file_digest set statistics 0,
    alter column line_no set statistics 0,
    alter column key_fingerprint set statistics 0;
