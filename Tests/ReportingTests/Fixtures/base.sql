-- One account with one source and two runs of the job nightly; run 2 is reported and compared with run 1.
insert into tieout.currency (code, exponent, name)
values ('EUR', 2, 'Euro'), ('USD', 2, 'US dollar'), ('JPY', 0, 'Yen'), ('KWD', 3, 'Kuwaiti dinar')
on conflict do nothing;
insert into tieout.account (account_id, name, zone) values (1, 'acme', 'Europe/Vilnius');
insert into tieout.source (account_id, source_id, provider, environment) values (1, 'meld-live', 'meld', 'live');
insert into tieout.run (account_id, run_id, job, ledger_time, as_of, period_from, period_to, state, started_at, host)
values
    (1, 1, 'nightly', '2026-08-21T00:30:00Z', '2026-08-21T00:40:00Z', '2026-08-19T21:00:00Z', '2026-08-20T21:00:00Z',
     'done', '2026-08-21T00:30:00Z', 'host-a'),
    (1, 2, 'nightly', '2026-08-22T00:30:00Z', '2026-08-22T00:40:00Z', '2026-08-20T21:00:00Z', '2026-08-21T21:00:00Z',
     'running', '2026-08-22T00:30:00Z', 'host-a');
insert into tieout.feed_state (account_id, source_id, feed, covered_from, watermark, last_attempt_at, last_success_at,
    backfill_complete, records)
values (1, 'meld-live', 'provider', '2026-01-01T00:00:00Z', '2026-08-22T00:15:00Z', '2026-08-22T00:31:00Z',
    '2026-08-22T00:31:00Z', true, 7);
