-- One row: one event as it is read now. $1 account, $2 source, $3 ledger time, $4 the readings as a JSON array.
update tieout.webhook_event as e
set
    observed_at = $3,
    kind = r.kind,
    transaction_id = r.transaction_id,
    raw_status = r.raw_status,
    state = r.state,
    state_rank = r.state_rank,
    money = r.money,
    after_held = r.after_held,
    after_taken = r.after_taken,
    after_delivered = r.after_delivered,
    direction = r.direction,
    event_time = r.event_time,
    is_test = r.is_test,
    customer_id = r.customer_id,
    refs = r.refs,
    flags = r.flags
from jsonb_to_recordset($4::jsonb) as r (
    event_key text,
    kind text,
    transaction_id text,
    raw_status text,
    state text,
    state_rank smallint,
    money text,
    after_held text,
    after_taken text,
    after_delivered text,
    direction text,
    event_time timestamptz,
    is_test boolean,
    customer_id text,
    refs text[],
    flags text[]
)
where e.account_id = $1
    and e.source_id = $2
    and e.event_key = r.event_key collate "C"
