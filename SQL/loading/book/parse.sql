-- One row: one record of the book file in hand, typed, with the reason where a column cannot be read.
-- $1 account, $2 run, $3 ledger time, $4 --exported-at, $5 source of rows that name none, $6 file digest,
-- $7 names of the extra columns, whose columns are put in by the loader.
insert into book_row (
    reason, record_length, account_id, order_id, source_id, run_id, observed_at, request_started_at, version_time,
    state_rank, status, direction, amount, currency, created_at, updated_at, provider_order_id, provider_session_id,
    provider_transaction_id, customer_id, destination_amount, destination_currency, wallet_address, wallet_tag,
    payment_method, country, segment, expires_at, paid_at, credited_at, failed_at, credited_amount, refunded_amount,
    idempotency_key, extra, refs, file_digest, line_no, content_hash
)
-- Both steps are materialized: inlined, every use of a column would read its text again.
with raw as materialized (
    -- An empty field says nothing, quoted or not; so does the zero time of some languages.
    select
        line_no,
        record_length,
        nullif(btrim(order_id), '') as order_id,
        coalesce(nullif(btrim(source), ''), $5::text) as source,
        nullif(btrim(status), '') as status,
        nullif(btrim(amount), '') as amount,
        nullif(btrim(currency), '') as currency,
        nullif(btrim(created_at), '') as created_at,
        coalesce(nullif(lower(btrim(direction)), ''), 'in') as direction,
        nullif(btrim(provider_order_id), '') as provider_order_id,
        nullif(btrim(provider_session_id), '') as provider_session_id,
        nullif(btrim(provider_transaction_id), '') as provider_transaction_id,
        nullif(btrim(customer_id), '') as customer_id,
        nullif(btrim(destination_amount), '') as destination_amount,
        nullif(btrim(destination_currency), '') as destination_currency,
        nullif(btrim(wallet_address), '') as wallet_address,
        nullif(btrim(wallet_tag), '') as wallet_tag,
        nullif(btrim(payment_method), '') as payment_method,
        nullif(btrim(country), '') as country,
        nullif(btrim(segment), '') as segment,
        nullif(nullif(btrim(expires_at), ''), '0001-01-01T00:00:00Z') as expires_at,
        nullif(nullif(btrim(paid_at), ''), '0001-01-01T00:00:00Z') as paid_at,
        nullif(nullif(btrim(credited_at), ''), '0001-01-01T00:00:00Z') as credited_at,
        nullif(nullif(btrim(failed_at), ''), '0001-01-01T00:00:00Z') as failed_at,
        nullif(nullif(btrim(updated_at), ''), '0001-01-01T00:00:00Z') as updated_at,
        nullif(btrim(credited_amount), '') as credited_amount,
        nullif(btrim(refunded_amount), '') as refunded_amount,
        nullif(btrim(idempotency_key), '') as idempotency_key,
        jsonb_strip_nulls(jsonb_object($7::text[], array[{extra}]::text[])) as extra
    from book_file f
),

typed as materialized (
    select
        r.*,
        s.source_id,
        s.provider,
        {amount r.amount} as amount_value,
        {amount r.destination_amount} as destination_value,
        {amount r.credited_amount} as credited_value,
        {amount r.refunded_amount} as refunded_value,
        {moment r.created_at} as created_moment,
        {moment r.updated_at} as updated_moment,
        {moment r.expires_at} as expires_moment,
        {moment r.paid_at} as paid_moment,
        {moment r.credited_at} as credited_moment,
        {moment r.failed_at} as failed_moment,
        -- Known words are words in any letter case; what nobody knows stays as it came.
        case
            when lower(r.status) in
                ('open', 'pending', 'paid', 'credited', 'failed', 'cancelled', 'expired', 'refunded', 'disputed')
                then lower(r.status)
            else r.status
        end as status_word,
        -- Three ASCII letters; a regular expression would take three times as long.
        case
            when octet_length(r.currency) = 3
                and translate(lower(r.currency), 'abcdefghijklmnopqrstuvwxyz', '') = '' then upper(r.currency)
            else r.currency
        end as currency_code,
        case
            when octet_length(r.destination_currency) = 3
                and translate(lower(r.destination_currency), 'abcdefghijklmnopqrstuvwxyz', '') = ''
                then upper(r.destination_currency)
            else r.destination_currency
        end as destination_code
    from raw r
    left join tieout.source s on s.account_id = $1 and s.source_id = r.source
)

select
    nullif(concat_ws(
        '; ',
        case when t.order_id is null then 'order_id: missing' end,
        case when t.source is null then 'source: missing' when t.source_id is null then 'source: not configured' end,
        case when t.status is null then 'status: missing' end,
        case
            when t.amount is null then 'amount: missing'
            when t.amount_value is null then 'amount: not a number'
            when t.amount_value < 0 then 'amount: negative'
        end,
        case when t.currency is null then 'currency: missing' end,
        case
            when t.created_at is null then 'created_at: missing'
            when t.created_moment is null then 'created_at: not a time with an offset'
        end,
        case when t.direction not in ('in', 'out') then 'direction: neither in nor out' end,
        case
            when t.destination_amount is not null and t.destination_value is null
                then 'destination_amount: not a number'
            when t.destination_value < 0 then 'destination_amount: negative'
        end,
        case
            when t.credited_amount is not null and t.credited_value is null then 'credited_amount: not a number'
            when t.credited_value < 0 then 'credited_amount: negative'
        end,
        case
            when t.refunded_amount is not null and t.refunded_value is null then 'refunded_amount: not a number'
            when t.refunded_value < 0 then 'refunded_amount: negative'
        end,
        case
            when t.updated_at is not null and t.updated_moment is null then 'updated_at: not a time with an offset'
        end,
        case
            when t.expires_at is not null and t.expires_moment is null then 'expires_at: not a time with an offset'
        end,
        case when t.paid_at is not null and t.paid_moment is null then 'paid_at: not a time with an offset' end,
        case
            when t.credited_at is not null and t.credited_moment is null then 'credited_at: not a time with an offset'
        end,
        case when t.failed_at is not null and t.failed_moment is null then 'failed_at: not a time with an offset' end
    ), '') as reason,
    t.record_length,
    $1,
    t.order_id,
    coalesce(t.source_id, ''),
    $2,
    $3,
    coalesce($4::timestamptz, $3),
    coalesce(t.updated_moment, $4, $3),
    case t.status_word
        when 'open' then 10 when 'pending' then 20 when 'expired' then 30 when 'cancelled' then 30
        when 'failed' then 30 when 'paid' then 40 when 'credited' then 50 when 'refunded' then 60
        when 'disputed' then 60 else 0
    end,
    t.status_word,
    t.direction,
    t.amount_value,
    t.currency_code,
    t.created_moment,
    t.updated_moment,
    t.provider_order_id,
    t.provider_session_id,
    t.provider_transaction_id,
    t.customer_id,
    t.destination_value,
    t.destination_code,
    t.wallet_address,
    t.wallet_tag,
    t.payment_method,
    t.country,
    t.segment,
    t.expires_moment,
    t.paid_moment,
    t.credited_moment,
    t.failed_moment,
    t.credited_value,
    t.refunded_value,
    t.idempotency_key,
    t.extra,
    array(
        select distinct r.ref collate "C"
        from unnest(array[
            {reference 'book:order' t.order_id},
            {reference t.provider||':order' t.provider_order_id},
            {reference t.provider||':session' t.provider_session_id},
            {reference t.provider||':transaction' t.provider_transaction_id}
        ]) as r (ref)
        where r.ref is not null
        order by 1
    ),
    $6,
    t.line_no,
    -- Each column as length:text, nothing as a bare colon; numbers without trailing zeros, times in UTC microseconds.
    substr(sha256(convert_to(concat(
        tieout.prefixed(t.order_id),
        tieout.prefixed(t.source_id),
        tieout.prefixed(t.status_word),
        tieout.prefixed(t.direction),
        tieout.prefixed(x.amount),
        tieout.prefixed(t.currency_code),
        tieout.prefixed(x.created_at),
        tieout.prefixed(x.updated_at),
        tieout.prefixed(t.provider_order_id),
        tieout.prefixed(t.provider_session_id),
        tieout.prefixed(t.provider_transaction_id),
        tieout.prefixed(t.customer_id),
        tieout.prefixed(x.destination),
        tieout.prefixed(t.destination_code),
        tieout.prefixed(t.wallet_address),
        tieout.prefixed(t.wallet_tag),
        tieout.prefixed(t.payment_method),
        tieout.prefixed(t.country),
        tieout.prefixed(t.segment),
        tieout.prefixed(x.expires_at),
        tieout.prefixed(x.paid_at),
        tieout.prefixed(x.credited_at),
        tieout.prefixed(x.failed_at),
        tieout.prefixed(x.credited_amount),
        tieout.prefixed(x.refunded),
        tieout.prefixed(t.idempotency_key),
        t.extra::text
    ), 'UTF8')), 1, 16)
from typed t
-- What is no bare column is not put into the place of a parameter that a function names three times: the function would be
-- called, ten times a row.
cross join lateral (
    select
        trim_scale(t.amount_value)::text as amount,
        trim_scale(t.destination_value)::text as destination,
        trim_scale(t.credited_value)::text as credited_amount,
        trim_scale(t.refunded_value)::text as refunded,
        tieout.moment(t.created_moment) as created_at,
        tieout.moment(t.updated_moment) as updated_at,
        tieout.moment(t.expires_moment) as expires_at,
        tieout.moment(t.paid_moment) as paid_at,
        tieout.moment(t.credited_moment) as credited_at,
        tieout.moment(t.failed_moment) as failed_at
    offset 0
) x
