-- One row: one order of the sources in a complete book that the book does not list, though it was known before the book was
-- written. A row that cannot be read lists its order all the same. A book older than another of its source that was loaded
-- says nothing about now. $1 account, $2 run, $3 ledger time, $4 when the book was written, $5 its digest.
insert into tieout.book_absence (account_id, order_id, observed_at, source_id, exported_at, run_id, file_digest)
select o.account_id, o.order_id, $3, o.source_id, $4, $2, $5
from tieout.book_order o
join tieout.feed_state f on f.account_id = o.account_id and f.source_id = o.source_id and f.feed = 'book'
where o.account_id = $1
    and o.source_id in (select r.source_id from book_row r where r.reason is null)
    and o.created_at < $4 and o.request_started_at < $4
    and (f.counters ->> 'exported')::bigint <= tieout.moment($4)::bigint
    and not exists (
        select 1 from book_row r where r.order_id = o.order_id
    )
    and not exists (
        select 1
        from tieout.book_absence a
        where a.account_id = o.account_id and a.order_id = o.order_id and a.returned_at is null
    )
on conflict do nothing
