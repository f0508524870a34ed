-- One row put in: one record of the provider's feed that could not be taken in.
insert into tieout.quarantine (
    account_id, source_id, feed, quarantine_id, run_id, last_run_id, observed_at, reason, record_id, place, length, digest
)
values (
    1, 'meld-live', 'provider', 'Q1', 2, 2, '2026-08-22T00:31:00Z', '=<b>type_changed: fee int->object', 'T9',
    'page 1', 1, sha256('q')
)
