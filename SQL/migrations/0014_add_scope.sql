-- What a night needs to look only at what its news can touch.

-- One row: one thing that payments can share: a reference, or values that a rule compares across payments. Kept by
-- linking, so that loading pays for no index on references.
create table tieout.payment_key (
    account_id bigint not null,
    key bigint not null,                           -- tieout.key_of its name
    payment_id bigint not null,
    spreads boolean not null,                      -- false: it may link payments, but no rule compares those that share it
    primary key (account_id, key, payment_id)
);
create index payment_key_by_payment on tieout.payment_key (account_id, payment_id);

-- One row: what one payment brings to the totals of one pair, one business day and one class, and to counts.
create table tieout.control_unit (
    account_id bigint not null,
    payment_id bigint not null,
    part int not null,                             -- counts up within the payment
    pair text collate "C" not null,                -- as control_total; also abandoned, which is counted only
    source_id text collate "C" not null,
    business_day date not null,
    direction text collate "C" not null,
    currency text collate "C" not null,
    bucket text collate "C" not null,
    class text collate "C" not null,
    rest_class text collate "C" not null,
    units bigint not null,
    a_count bigint not null,
    a numeric,
    b_count bigint not null,
    b numeric,
    broken numeric not null,
    is_settled boolean not null,                   -- false: its class can change without news of the payment
    primary key (account_id, payment_id, part)
);
create index control_unit_by_day on tieout.control_unit (account_id, business_day);
create index control_unit_unsettled on tieout.control_unit (account_id) include (payment_id) where not is_settled;

-- One row: one count that a run shows of one source, moved by what the run's scope changes.
create table tieout.tally (
    account_id bigint not null,
    name text collate "C" not null,                -- records | abandoned
    source_id text collate "C" not null,
    units bigint not null,
    primary key (account_id, name, source_id)
);

alter table tieout.rule_state
    add column judged_seq bigint not null default 0,    -- the end of the audit trail then: later events are news too
    add column full_at timestamptz;                     -- as_of of the last run that evaluated everything

-- Besides what can change by time: every finding that is no standing break, so that it is counted on nights that do not
-- look at it (look_again_at infinity).
alter table tieout.watch add column source_id text collate "C";
alter table tieout.watch drop constraint watch_reason_check;
alter table tieout.watch add constraint watch_reason_check
    check (reason in ('awaiting', 'not_evaluated', 'before_coverage', 'quarantined', 'closed'));
create index watch_by_time on tieout.watch (account_id, look_again_at);
create index watch_by_payment on tieout.watch (account_id, payment_id);

create index break_standing on tieout.break (account_id, rule, subject) where state in ('open', 'acknowledged');

-- News: what became known, or was superseded, after a moment. Times of one load are few and rise: cheap to keep.
create index transaction_by_news on tieout.transaction (account_id, observed_at);
create index transaction_history_by_news on tieout.transaction_history (account_id, superseded_at);
create index book_order_by_news on tieout.book_order (account_id, observed_at);
create index book_order_history_by_news on tieout.book_order_history (account_id, superseded_at);
create index webhook_event_by_news on tieout.webhook_event (account_id, observed_at);

-- A delivery more of a known event changes its counts and first arrival, not when it was first held as it stands.
alter table tieout.webhook_event add column recounted_at timestamptz;
create index webhook_event_recounted on tieout.webhook_event (account_id, recounted_at) where recounted_at is not null;

-- The name of a thing that payments share as a number. Immutable, reads no table.
create function tieout.key_of(name text) returns bigint
    language sql immutable parallel safe
    return ('x' || left(encode(sha256(convert_to(name, 'UTF8')), 'hex'), 16))::bit(64)::bigint;

-- The name of a reference: kinds that a provider names are spaces per source, the book's own order ids and chain
-- transactions are compared across the account.
create function tieout.reference_name(ref text, space text) returns text
    language sql immutable parallel safe
    return case when split_part(ref, '=', 1) in ('book:order', 'chain:tx') then ref else space || ' ' || ref end;

-- A value as a part of such a name: equal values give equal texts.
create function tieout.keyed(value text) returns text
    language sql immutable parallel safe
    return tieout.prefixed(value);
create function tieout.keyed(value numeric) returns text
    language sql immutable parallel safe
    return tieout.prefixed(trim_scale(value)::text);
