-- Deliveries are written in the order of time, and an event names the moments of its own: their key grows at its end,
-- where an insert costs a third of one in the middle.

alter table tieout.webhook_event add column received_between timestamptz[];
comment on column tieout.webhook_event.received_between is
    'moments of deliveries strictly between the first and the last; null: there are none';

update tieout.webhook_event e set
    received_between = d.moments
from (
    select
        o.account_id,
        o.source_id,
        o.event_key,
        array_agg(distinct o.received_at order by o.received_at) as moments
    from tieout.webhook_delivery o
    join tieout.webhook_event k on k.account_id = o.account_id and k.source_id = o.source_id
        and k.event_key = o.event_key
    where o.received_at > k.first_received_at and o.received_at < k.last_received_at
    group by o.account_id, o.source_id, o.event_key
) d
where e.account_id = d.account_id and e.source_id = d.source_id and e.event_key = d.event_key;

alter table tieout.webhook_delivery drop constraint webhook_delivery_pkey;
alter table tieout.webhook_delivery
    add primary key (account_id, source_id, received_at, event_key, delivery_digest);

-- Whether a source has events at all is told by the key.
drop index tieout.webhook_event_by_time;

-- A loader that finds the number it left knows that nobody wrote beside it.
alter table tieout.feed_state add column batches bigint not null default 0;

-- One row: one transaction whose events may be out of order, and were not looked at since. A load notes them batch by
-- batch and works them off once at its end; what a killed load leaves, the next one works off.
create table tieout.webhook_unordered (
    account_id bigint not null,
    source_id text collate "C" not null,
    transaction_id text collate "C" not null,
    primary key (account_id, source_id, transaction_id)
);
