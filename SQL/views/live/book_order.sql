-- One row: one order of the merchant's book in its current version. is_known: its status is one of the book's words.
-- book_money: what that status says has happened to the customer's money. absent_since: when the book was written that was
-- loaded as complete and lacks it; null: no such book.
select
    o.account_id,
    o.order_id,
    o.source_id,
    m.payment_id,
    o.status,
    o.status in ('open', 'pending', 'paid', 'credited', 'failed', 'cancelled', 'expired', 'refunded', 'disputed')
        as is_known,
    case
        when o.status in ('open', 'pending', 'failed', 'cancelled', 'expired') then 'none'
        when o.status in ('paid', 'disputed') then 'taken'
        when o.status = 'credited' then 'delivered'
        when o.status = 'refunded' then 'returned'
        else 'unknown'
    end as book_money,
    o.direction,
    o.amount,
    o.currency,
    o.created_at,
    o.updated_at,
    o.version_time,
    o.provider_order_id,
    o.provider_session_id,
    o.provider_transaction_id,
    o.customer_id,
    o.destination_amount,
    o.destination_currency,
    o.wallet_address,
    o.wallet_tag,
    o.payment_method,
    o.country,
    o.segment,
    o.expires_at,
    o.paid_at,
    o.credited_at,
    o.failed_at,
    o.credited_amount,
    o.refunded_amount,
    o.idempotency_key,
    o.extra,
    o.refs,
    b.exported_at as absent_since,
    o.observed_at,
    o.run_id
from tieout.book_order as o
left join scope.member as m
    on m.account_id = o.account_id and m.member = 'order' and m.source_id = o.source_id and m.record_id = o.order_id
left join tieout.book_absence as b
    on b.account_id = o.account_id and b.order_id = o.order_id and b.returned_at is null
