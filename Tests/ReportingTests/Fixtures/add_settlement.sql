-- One payout of a settlement file with two lines, whose fee row is missing, and a dispute of transaction T1; and the same of
-- another account, which is nobody's business here.
insert into tieout.account (account_id, name, zone) values (2, 'other', 'UTC') on conflict do nothing;
insert into tieout.source (account_id, source_id, provider, environment) values (2, 'meld-live', 'meld', 'live')
on conflict do nothing;
insert into tieout.payout (
    account_id, source_id, payout_id, run_id, observed_at, request_started_at, version_time, state_rank, amount, currency,
    paid_at, items, file_name, file_digest, line_no, content_hash
)
select
    a.id, 'meld-live', a.name, 2, '2026-08-22T00:31:00Z', '2026-08-22T00:31:00Z', '2026-08-22T00:31:00Z', 1, 60.28, 'EUR',
    '2026-08-21T00:00:00Z', 3, '=report.csv', 'x', 2, 'x'
from (values (1, '=PO-1<b>'), (2, 'OTHER')) as a (id, name);
insert into tieout.settlement_line (
    account_id, source_id, line_id, run_id, observed_at, request_started_at, version_time, state_rank, payout_id, kind,
    type_word, state, gross, fee, net, currency, settled_at, file_name, file_digest, line_no, content_hash
)
select
    a.id, 'meld-live', l.line, 2, '2026-08-22T00:31:00Z', '2026-08-22T00:31:00Z', '2026-08-22T00:31:00Z', 1, a.name,
    'charge', 'PAYMENT', 'settled', 40, l.fee, 40 + l.fee, 'EUR', '2026-08-21T00:00:00Z', 'report.csv', 'x', 4, 'x'
from (values (1, '=PO-1<b>'), (2, 'OTHER')) as a (id, name)
cross join (values ('L1', -1.20), ('L2', -1.25)) as l (line, fee);
insert into tieout.transaction (
    account_id, source_id, resource, transaction_id, parent_id, run_id, observed_at, request_started_at, version_time,
    state_rank, created_at, direction, kind, raw_status, state, money, is_final, disputed, charged_currency, evidence_pack,
    evidence_offset, evidence_length, raw_hash, content_hash
)
select
    a.id, 'meld-live', 'dispute', '=D-' || a.id, 'T1', 2, '2026-08-22T00:31:00Z', '2026-08-22T00:31:00Z',
    '2026-08-21T10:00:00Z', 1, '2026-08-21T10:00:00Z', 'in', '10.4', 'created', 'disputed', 'none', false, 10, 'EUR', 1, 0, 0,
    'x', 'x'
from (values (1), (2)) as a (id);
