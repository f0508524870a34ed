-- One row: one dispute that is open, or that began or changed within the run's period.
select
    d.source_id as source,
    d.dispute_id,
    d.transaction_id,
    o.order_id,
    o.status as book_status,
    d.payment_id,
    d.kind,
    d.raw_status,
    d.state,
    d.money,
    d.is_final,
    d.amount,
    d.currency,
    d.created_at,
    d.updated_at,
    d.observed_at
from {scope.dispute} d
left join (
    select b.payment_id, min(b.order_id) as order_id, min(b.status) as status
    from {scope.book_order} b
    group by b.payment_id
    having count(*) = 1
) o on o.payment_id = d.payment_id
where not d.is_test
    and (
        (d.state = 'disputed' and not d.is_final)
        or d.happened_at >= coalesce({period_from}, '-infinity')
        or d.observed_at >= coalesce({period_from}, '-infinity')
    )
