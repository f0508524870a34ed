-- How far the webhook events of one run can be trusted.

-- One row: what one run learnt of the webhook events of one source. An event is counted in the run that first held it as
-- it stands (the run_id of its row in webhook_event): a delivery that changes nothing counts nowhere.
create table tieout.webhook_run (
    account_id bigint not null,
    source_id text collate "C" not null,
    run_id bigint not null,
    observed_at timestamptz not null,              -- ledger time of the last batch that was added
    events bigint not null,
    not_evidence bigint not null,                  -- not valid, less unsigned ones where the source sends no signatures
    invalid bigint not null,
    stale bigint not null,
    unsigned bigint not null,
    no_key bigint not null,
    primary key (account_id, source_id, run_id)
);
