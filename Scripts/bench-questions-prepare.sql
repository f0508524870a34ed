-- One row: one transaction, in the shape that somebody would give it who asks these five questions only: the order's id
-- is a column, and every question has its index. Not part of what is measured.
create table bench.charge as
select
    t.transaction_id,
    (select substr(r, 12) from unnest(t.refs) as r where r like 'book:order=%' limit 1) as order_id,
    t.customer_id,
    t.wallet_address,
    t.direction,
    t.state,
    t.state_rank,
    t.money,
    t.raw_status,
    t.charged,
    t.charged_currency,
    t.created_at,
    t.version_time
from tieout.transaction as t;
-- One row: one webhook event.
create table bench.event as
select e.event_key, e.transaction_id, e.state, e.state_rank, e.money, e.event_time, e.verdict
from tieout.webhook_event as e;
-- One row: one order.
create table bench.book as
select o.order_id, o.status, o.amount, o.currency, o.expires_at, o.created_at
from tieout.book_order as o;
create index on bench.charge (order_id);
create index on bench.charge (transaction_id);
create index on bench.charge (customer_id, charged, charged_currency, created_at);
create index on bench.event (transaction_id, event_time desc, state_rank desc) include (state, verdict);
create unique index on bench.book (order_id);
create index on bench.book (expires_at) where status in ('open', 'pending', 'paid');
vacuum analyze bench.charge, bench.event, bench.book;
