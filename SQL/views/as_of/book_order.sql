-- One row: one order of the merchant's book in its current version. is_known: its status is one of the book's words.
-- book_money: what that status says has happened to the customer's money. absent_since: when the book was written that was
-- loaded as complete and lacks it; null: no such book.
-- As of $2: the versions current then.
with version as (
    select
        x.account_id,
        x.amount,
        x.country,
        x.created_at,
        x.credited_amount,
        x.credited_at,
        x.currency,
        x.customer_id,
        x.destination_amount,
        x.destination_currency,
        x.direction,
        x.expires_at,
        x.extra,
        x.failed_at,
        x.idempotency_key,
        x.observed_at,
        x.order_id,
        x.paid_at,
        x.payment_method,
        x.provider_order_id,
        x.provider_session_id,
        x.provider_transaction_id,
        x.refs,
        x.refunded_amount,
        x.run_id,
        x.segment,
        x.source_id,
        x.status,
        x.updated_at,
        x.version_time,
        x.wallet_address,
        x.wallet_tag
    from tieout.book_order as x
    where x.observed_at <= $2
    union all
    select
        x.account_id,
        x.amount,
        x.country,
        x.created_at,
        x.credited_amount,
        x.credited_at,
        x.currency,
        x.customer_id,
        x.destination_amount,
        x.destination_currency,
        x.direction,
        x.expires_at,
        x.extra,
        x.failed_at,
        x.idempotency_key,
        x.observed_at,
        x.order_id,
        x.paid_at,
        x.payment_method,
        x.provider_order_id,
        x.provider_session_id,
        x.provider_transaction_id,
        x.refs,
        x.refunded_amount,
        x.run_id,
        x.segment,
        x.source_id,
        x.status,
        x.updated_at,
        x.version_time,
        x.wallet_address,
        x.wallet_tag
    from tieout.book_order_history as x
    where x.observed_at <= $2 and x.superseded_at > $2
)

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
from version as o
left join scope.member as m
    on m.account_id = o.account_id and m.member = 'order' and m.source_id = o.source_id and m.record_id = o.order_id
left join tieout.book_absence as b
    on b.account_id = o.account_id and b.order_id = o.order_id and b.observed_at <= $2 and (b.returned_at is null or b.returned_at > $2)
