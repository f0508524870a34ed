-- One row: one line of the settlement file in hand, typed, with the reason where a column cannot be read. What a head states
-- of its payout (id, currency, date) holds for its lines. $1 account, $2 run, $3 ledger time, $4 --exported-at, $5 source,
-- $6 file digest, $7 file name, $8 which version of the file, $9 the mark before decimals (null: not declared), $10 columns,
-- $11 words and $12 what they mean there (the format's vocabulary), $13 format, $14 name under which it is corrected.
insert into settlement_line_row (
    reason, record_length, block, account_id, source_id, line_id, run_id, observed_at, request_started_at,
    version_time, state_rank, payout_id, kind, type_word, raw_status, state, gross, fee, tax, other, net, currency,
    transaction_amount, transaction_currency, fx_rate, settled_at, happened_at, payment_method, segment, reference, refs,
    flags, file_name, file_digest, line_no, content_hash
)
-- Every step is materialized: inlined, every use of a column would read its text again.
with word as materialized (
    select u.part, u.word, u.means
    from unnest($10::text[], $11::text[], $12::text[]) as u (part, word, means)
),

raw as materialized (
    select
        f.line_no,
        f.record_length,
        f.block,
        $9::text as decimal,
        nullif(btrim(f.settlement_id), '') as settlement_id,
        coalesce(nullif(btrim(f.payout_id), ''), nullif(btrim(h.payout_id), '')) as payout_id,
        nullif(btrim(f.record_id), '') as record_id,
        nullif(btrim(f.reference), '') as reference,
        nullif(btrim(f.original_reference), '') as original_reference,
        nullif(btrim(f.type), '') as type,
        nullif(btrim(f.gross), '') as gross,
        nullif(btrim(f.fee), '') as fee,
        nullif(btrim(f.tax), '') as tax,
        nullif(btrim(f.other), '') as other,
        nullif(btrim(f.net), '') as net,
        coalesce(
            nullif(btrim(f.currency), ''), nullif(btrim(h.currency), ''), case $13 when 'dlocal_daily' then 'USD' end
        ) as currency,
        nullif(btrim(f.transaction_amount), '') as transaction_amount,
        nullif(btrim(f.transaction_currency), '') as transaction_currency,
        nullif(btrim(f.fx_rate), '') as fx_rate,
        coalesce(nullif(btrim(f.settled_on), ''), nullif(btrim(h.settled_on), '')) as settled_on,
        nullif(btrim(f.happened_at), '') as happened_at,
        nullif(btrim(f.status), '') as status,
        nullif(btrim(f.payment_method), '') as payment_method,
        nullif(btrim(f.segment), '') as segment,
        nullif(btrim(f.description), '') as description
    from settlement_file f
    left join settlement_file h on h.block = f.block and h.is_head and f.block > 0
    where not f.is_head
),

-- Rows of an orchestrator carry its own id, and the order's in their description: that is one where it is known as an order,
-- or as that of a payment, and what the row names otherwise is not.
describing as materialized (
    select r.line_no, r.reference
    from raw r
    where r.description is not null
        and not exists (
            select 1
            from tieout.book_order o
            where o.account_id = $1 and o.order_id = r.reference
        )
        and (
            exists (select 1 from tieout.book_order o where o.account_id = $1 and o.order_id = r.description)
            or exists (
                select 1
                from tieout.payment_key k
                where k.account_id = $1 and k.key = tieout.key_of('book:order=' || r.description)
            )
        )
),

described as materialized (
    select d.line_no
    from describing d
    left join (
        select distinct substr(u.ref, 12) as order_id
        from tieout.transaction x
        cross join unnest(x.refs) as u (ref)
        where x.account_id = $1
            and x.source_id = $5
            and exists (select 1 from describing)
            and u.ref like 'book:order=%'
            and substr(u.ref, 12) in (select i.reference from describing i)
    ) c on c.order_id = d.reference
    where c.order_id is null
),

plain as materialized (
    select
        r.*,
        {number r.gross} as gross_text,
        {number r.fee} as fee_text,
        {number r.tax} as tax_text,
        {number r.other} as other_text,
        {number r.net} as net_text,
        {number r.transaction_amount} as transaction_text,
        {number r.fx_rate} as fx_text,
        {dated r.settled_on} as settled_text,
        {dated r.happened_at} as happened_text,
        upper(regexp_replace(r.type, '[^[:alnum:]]+', '_', 'g')) as type_key,
        upper(regexp_replace(r.status, '[^[:alnum:]]+', '_', 'g')) as status_key
    from raw r
),

typed as materialized (
    select
        p.*,
        s.provider,
        case when d.line_no is not null then p.description end as described_order,
        {amount p.gross_text} as gross_value,
        {amount p.fee_text} as fee_value,
        {amount p.tax_text} as tax_value,
        {amount p.other_text} as other_value,
        {amount p.net_text} as net_value,
        {amount p.transaction_text} as transaction_value,
        {amount p.fx_text} as fx_value,
        {moment p.settled_text} as settled_moment,
        {moment p.happened_text} as happened_moment,
        case
            when octet_length(p.currency) = 3
                and translate(lower(p.currency), 'abcdefghijklmnopqrstuvwxyz', '') = '' then upper(p.currency)
            else p.currency
        end as currency_code,
        case
            when octet_length(p.transaction_currency) = 3
                and translate(lower(p.transaction_currency), 'abcdefghijklmnopqrstuvwxyz', '') = ''
                then upper(p.transaction_currency)
            else p.transaction_currency
        end as transaction_code,
        coalesce(k.means, 'other') as kind,
        k.means is null as is_type_unknown,
        case
            when p.status_key is not null and exists (select 1 from word w where w.part = 'status')
                then coalesce(c.means, 'unknown')
        end as status_means,
        -- `book:order=A-17` says itself what it is.
        p.reference ~ '^[a-z][a-z0-9_]*:[a-z][a-z0-9_]*=.' and p.reference !~ '^[^=]*:(payout|line)=' as is_named
    from plain p
    left join described d on d.line_no = p.line_no
    left join tieout.source s on s.account_id = $1 and s.source_id = $5
    left join word k on k.part = 'type' and k.word = p.type_key
    left join word c on c.part = 'status' and c.word = p.status_key
),

-- The older daily report writes every amount without its sign.
signed as materialized (
    select
        t.*,
        case
            when $13 <> 'dlocal_daily' then t.gross_value
            when t.kind in ('refund', 'chargeback', 'fee') or t.type_key = 'DEBIT_NOTE' then -abs(t.gross_value)
            else t.gross_value
        end as gross_signed,
        case $13 when 'dlocal_daily' then -abs(t.fee_value) else t.fee_value end as fee_signed,
        -- Nothing of no currency is no amount.
        case
            when t.transaction_code is null then null
            when t.kind in ('refund', 'chargeback') then -abs(t.transaction_value)
            when t.kind = 'charge' and coalesce(t.gross_value, t.net_value) < 0 then -abs(t.transaction_value)
            else t.transaction_value
        end as transaction_signed
    from typed t
),

whole as materialized (
    select
        s.*,
        coalesce(
            s.net_value,
            case
                when coalesce(s.gross_signed, s.fee_signed, s.tax_value, s.other_value) is not null
                    then coalesce(s.gross_signed, 0) + coalesce(s.fee_signed, 0) + coalesce(s.tax_value, 0)
                        + coalesce(s.other_value, 0)
            end
        ) as net_signed,
        coalesce(s.status_means, case when s.settled_moment is null then 'settling' else 'settled' end) as state,
        split_part(s.reference, '=', 1) as named_kind,
        substr(s.reference, strpos(s.reference, '=') + 1) as named_value
    from signed s
),

hashed as materialized (
    select
        w.*,
        array(
            select distinct u.ref collate "C"
            from unnest(array[
                case when w.is_named then {reference w.named_kind w.named_value} end,
                case when not w.is_named then {reference 'book:order' w.reference} end,
                -- A plain reference may be the provider's own.
                case when not w.is_named and $13 = 'canonical'
                    then {reference w.provider||':transaction' w.reference} end,
                {reference 'book:order' w.original_reference},
                {reference 'book:order' w.described_order},
                case when w.kind = 'charge' then {reference w.provider||':transaction' w.record_id} end,
                case when w.kind = 'refund' then {reference w.provider||':refund' w.record_id} end,
                case when w.kind in ('chargeback', 'chargeback_reversal')
                    then {reference w.provider||':dispute' w.record_id} end
            ]) as u (ref)
            where u.ref is not null
            order by 1
        ) as refs,
        -- Each column as length:text, nothing as a bare colon; numbers without trailing zeros, times in UTC microseconds.
        substr(sha256(convert_to(concat(
            tieout.prefixed(w.payout_id),
            tieout.prefixed(w.kind),
            tieout.prefixed(w.type),
            tieout.prefixed(w.status),
            tieout.prefixed(w.state),
            tieout.prefixed(trim_scale(w.gross_signed)::text),
            tieout.prefixed(trim_scale(w.fee_signed)::text),
            tieout.prefixed(trim_scale(w.tax_value)::text),
            tieout.prefixed(trim_scale(w.other_value)::text),
            tieout.prefixed(trim_scale(w.net_signed)::text),
            tieout.prefixed(w.currency_code),
            tieout.prefixed(trim_scale(w.transaction_signed)::text),
            tieout.prefixed(w.transaction_code),
            tieout.prefixed(trim_scale(w.fx_value)::text),
            tieout.prefixed(tieout.moment(w.settled_moment)),
            tieout.prefixed(tieout.moment(w.happened_moment)),
            tieout.prefixed(w.payment_method),
            tieout.prefixed(w.segment),
            tieout.prefixed(w.reference),
            tieout.prefixed(w.record_id),
            tieout.prefixed(w.original_reference),
            case when w.described_order is not null then tieout.prefixed(w.described_order) end
        ), 'UTF8')), 1, 16) as content_hash
    from whole w
),

-- A line without an id of its own is told by its payout, type and reference; what these do not tell apart is counted.
-- One id that stands for several lines (that of a whole settlement, say) tells them no better.
keyed as (
    select
        h.*,
        coalesce(
            h.settlement_id,
            concat_ws(
                '/',
                coalesce(h.payout_id, to_char(h.settled_moment at time zone 'UTC', 'YYYY-MM-DD')),
                h.type,
                coalesce(h.record_id, h.reference, case when h.payout_id is null then $14::text end)
            )
        ) as base,
        case when h.settlement_id is not null then concat_ws('/', h.settlement_id, h.type, h.reference) end as longer
    from hashed h
),

told as (
    select
        k.*,
        min(encode(k.content_hash, 'hex')) over of_base <> max(encode(k.content_hash, 'hex')) over of_base as is_shared,
        row_number() over (partition by k.base order by k.content_hash, k.line_no) as nth,
        dense_rank() over (partition by k.longer order by k.content_hash) as nth_longer
    from keyed k
    window of_base as (partition by k.base)
)

select
    nullif(concat_ws(
        '; ',
        case when t.type is null then 'type: missing' end,
        case when t.currency is null then 'currency: missing' end,
        case when t.gross is not null and t.gross_value is null then 'gross: not a number' end,
        case when t.fee is not null and t.fee_value is null then 'fee: not a number' end,
        case when t.tax is not null and t.tax_value is null then 'tax: not a number' end,
        case when t.other is not null and t.other_value is null then 'other: not a number' end,
        case
            when t.net is not null and t.net_value is null then 'net: not a number'
            when t.net_signed is null and t.gross is null then 'net: missing'
        end,
        case
            when t.transaction_amount is not null and t.transaction_value is null
                then 'transaction amount: not a number'
        end,
        case when t.fx_rate is not null and t.fx_value is null then 'fx rate: not a number' end,
        case when t.settled_on is not null and t.settled_moment is null then 'settled on: not a date' end,
        case when t.happened_at is not null and t.happened_moment is null then 'date of creation: not a time' end,
        case when t.provider is null then 'source: not configured' end
    ), '') as reason,
    t.record_length,
    t.block,
    $1,
    coalesce($5, ''),
    case
        when t.settlement_id is null then t.base || case when t.nth > 1 then '#' || t.nth else '' end
        when not t.is_shared then t.base
        else t.longer || case when t.nth_longer > 1 then '#' || t.nth_longer else '' end
    end,
    $2,
    $3,
    coalesce($4::timestamptz, $3),
    coalesce($4::timestamptz, $3),
    least($8, 32000)::smallint,
    t.payout_id,
    t.kind,
    t.type,
    t.status,
    t.state,
    t.gross_signed,
    t.fee_signed,
    t.tax_value,
    t.other_value,
    t.net_signed,
    t.currency_code,
    t.transaction_signed,
    case when t.transaction_signed is not null then t.transaction_code end,
    nullif(t.fx_value, 0),
    t.settled_moment,
    t.happened_moment,
    t.payment_method,
    t.segment,
    t.reference,
    t.refs,
    array_remove(
        array[
            case
                when t.net_value <> coalesce(t.gross_signed, 0) + coalesce(t.fee_signed, 0)
                    + coalesce(t.tax_value, 0) + coalesce(t.other_value, 0)
                    and t.gross_signed is not null
                    then 'parts_differ'
            end,
            case when t.state = 'unknown' then 'status_unknown' end,
            case when t.is_type_unknown then 'type_unknown' end
        ],
        null
    ),
    $7,
    $6,
    t.line_no,
    t.content_hash
from told t
