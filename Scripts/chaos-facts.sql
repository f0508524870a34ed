-- One row: one fact, break or total of the database as text, without what two runs may differ in: run, ledger time,
-- place of evidence. Two databases that hold the same give the same lines.
select line
from (
    select 'version ' || concat_ws('|', source_id, transaction_id, raw_status, charged, delivered, encode(content_hash, 'hex')) as line
    from tieout.transaction
    union all
    select 'superseded ' || concat_ws('|', source_id, transaction_id, raw_status, charged, delivered, encode(content_hash, 'hex'))
    from tieout.transaction_history
    union all
    select 'order ' || concat_ws('|', order_id, status, amount, currency, encode(content_hash, 'hex'))
    from tieout.book_order
    union all
    select 'superseded order ' || concat_ws('|', order_id, status, amount, currency, encode(content_hash, 'hex'))
    from tieout.book_order_history
    union all
    select 'event ' || concat_ws('|', source_id, event_key, raw_status, transaction_id)
    from tieout.webhook_event
    union all
    select 'delivery ' || concat_ws('|', d.source_id, d.event_key, d.received_at at time zone 'UTC')
    from tieout.webhook_delivery as d
    union all
    select 'quarantined ' || concat_ws('|', source_id, feed, record_id, reason, state)
    from tieout.quarantine
    union all
    select 'break ' || concat_ws('|', rule, subject, state, severity, currency, difference, at_risk, primary_break_id)
    from tieout.break
    union all
    select 'trail ' || concat_ws('|', rule, subject, event, state_from, state_to, severity)
    from tieout.break_event
    union all
    select 'total ' || concat_ws('|', pair, source_id, business_day, direction, currency, bucket, a_count, coalesce(a_sum, 0), b_count, coalesce(b_sum, 0), classes, unexplained_count, unexplained_sum)
    from tieout.control_total
    union all
    select 'open walk ' || walk
    from tieout.checkpoint
    union all
    select 'no evidence ' || t.transaction_id
    from tieout.transaction as t
    left join tieout.evidence as e
        on e.account_id = t.account_id and e.source_id = t.source_id and e.run_id = t.run_id
        and e.pack_no = t.evidence_pack
    where e.run_id is null
    union all
    select 'feed ' || concat_ws('|', source_id, feed, backfill_complete, records)
    from tieout.feed_state
) as facts
order by line collate "C"
