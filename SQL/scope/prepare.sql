-- The working tables of a run's scope, gone at commit.

-- One row: one payment in scope. Payments that linking has dissolved stay in, so that what was noted of them goes.
create temporary table run_scope (
    payment_id bigint not null primary key
) on commit drop;

-- One row: one key that a payment in scope had before linking, or has since: who else has it is in scope too.
create temporary table scope_key (
    key bigint not null primary key,
    round int not null
) on commit drop;

-- One row: one record that is news since the rules last judged, with the references it has, or had.
create temporary table scope_news (
    member text collate "C" not null,
    source_id text collate "C" not null,
    record_id text collate "C" not null,
    refs text[] not null
) on commit drop;

-- One row: one record whose facts this run looks at. round: 1 what linking looks at, 2 what else is in scope.
create temporary table scope_record (
    member text collate "C" not null,
    source_id text collate "C" not null,
    record_id text collate "C" not null,
    round int not null,
    primary key (member, source_id, record_id)
) on commit drop;

-- The facts of these records, under the names that stand in for the stored tables.

-- One row: one transaction in scope.
create temporary table near_transaction (like tieout.transaction, primary key (source_id, resource, transaction_id))
    on commit drop;
-- One row: one earlier version of a transaction in scope.
create temporary table near_transaction_history (like tieout.transaction_history) on commit drop;
-- One row: one order in scope.
create temporary table near_book_order (like tieout.book_order, primary key (order_id)) on commit drop;
-- One row: one earlier version of an order in scope.
create temporary table near_book_order_history (like tieout.book_order_history) on commit drop;
-- One row: one line of a settlement file in scope.
create temporary table near_settlement_line (like tieout.settlement_line, primary key (source_id, line_id))
    on commit drop;
-- One row: one event of a payment, or about a transaction, in scope; or one that belongs to no payment and is news.
create temporary table near_webhook_event (like tieout.webhook_event, primary key (source_id, event_key))
    on commit drop;
create index on near_webhook_event (source_id, transaction_id);
-- One row: one membership of a record whose facts stand above.
create temporary table near_payment_member (like tieout.payment_member, primary key (member, source_id, record_id))
    on commit drop;
