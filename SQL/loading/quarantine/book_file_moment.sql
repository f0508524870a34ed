-- One row: the moment that stood for a file's export when it was loaded: rows without a time of their own have it.
-- Null where the file is not known. $1 account, $2 digest.
select coalesce(
    (
        select min(o.request_started_at)
        from tieout.book_order o
        where o.account_id = $1 and o.file_digest = $2
    ),
    (
        select min(h.request_started_at)
        from tieout.book_order_history h
        where h.account_id = $1 and h.file_digest = $2
    ),
    (
        select f.observed_at
        from tieout.loaded_file f
        where f.account_id = $1 and f.feed = 'book' and f.digest = $2
    )
) as moment
