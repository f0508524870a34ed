-- One row put in: one of $1 breaks of one rule, with a long value.
insert into tieout.break (account_id, rule, subject, break_id, version, state, severity, source_id, currency, difference,
    at_risk, due_at, opened_at, first_opened_at, opened_run_id, is_baseline, facts, facts_digest)
select 1, 'paid_unsettled', 'transaction:meld-live/' || i, 'B' || lpad(i::text, 12, '0'), 0, 'open', 'medium', 'meld-live',
    case i % 2 when 0 then 'EUR' else 'JPY' end, 1.25, 1.25, '2026-08-01T00:00:00Z', '2026-08-21T00:40:00Z',
    '2026-08-21T00:40:00Z', 1, false,
    jsonb_build_array(jsonb_build_object('field', 'status', 'a',
        repeat('x', case i % 100 when 1 then 3000 else 10 end), 'b', repeat('<', 200))), '\x00'
from generate_series(1, $1::bigint) i
