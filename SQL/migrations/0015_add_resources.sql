-- A source shows several resources (payments, refunds, disputes, settlement lines, payouts): each is polled for itself.

-- One row: how far one resource of one source is proven. feed_state has the least of them all.
create table tieout.resource_state (
    account_id bigint not null,
    source_id text collate "C" not null,
    resource text collate "C" not null,
    covered_from timestamptz,
    watermark timestamptz,                         -- complete up to here
    backfill_complete boolean not null default false,
    last_success_at timestamptz,                   -- ledger time of the last poll that was complete
    state jsonb not null default '{}',             -- slices of the deep sweep and when each was walked
    primary key (account_id, source_id, resource)
);

insert into tieout.resource_state
    (account_id, source_id, resource, covered_from, watermark, backfill_complete, last_success_at, state)
select
    account_id,
    source_id,
    'transaction',
    covered_from,
    watermark,
    backfill_complete,
    last_success_at,
    jsonb_build_object('swept', coalesce(counters -> 'swept', '{}'))
from tieout.feed_state
where feed = 'provider';

-- A refund, a dispute, a settlement line or a second view is about one transaction of its source.
alter table tieout.transaction add column parent_id text collate "C";          -- null: not known, or about none
alter table tieout.transaction_history add column parent_id text collate "C";
create index transaction_by_parent on tieout.transaction (account_id, source_id, parent_id)
    where parent_id is not null;

-- Each resource is read anew for itself.
alter table tieout.decoding drop constraint decoding_kind_check;
