-- One row: one payout that a head of the settlement file in hand states, typed, with the reason where a column cannot be
-- read. $1 account, $2 run, $3 ledger time, $4 --exported-at, $5 source, $6 file digest, $7 file name, $8 which version of
-- the file, $9 the mark before decimals.
insert into payout_row (
    reason, record_length, block, account_id, source_id, payout_id, run_id, observed_at, request_started_at,
    version_time, state_rank, amount, currency, paid_at, items, gross_total, fee_total, refs, file_name, file_digest,
    line_no, content_hash
)
with raw as materialized (
    select
        f.line_no,
        f.record_length,
        f.block,
        $9::text as decimal,
        nullif(btrim(f.payout_id), '') as payout_id,
        nullif(btrim(f.gross), '') as gross,
        nullif(btrim(f.fee), '') as fee,
        nullif(btrim(f.net), '') as net,
        nullif(btrim(f.currency), '') as currency,
        nullif(btrim(f.settled_on), '') as paid_on,
        nullif(btrim(f.items), '') as items
    from settlement_file f
    where f.is_head
),

plain as materialized (
    select
        r.*,
        {number r.gross} as gross_text,
        {number r.fee} as fee_text,
        {number r.net} as net_text,
        {dated r.paid_on} as paid_text
    from raw r
),

typed as materialized (
    select
        p.*,
        s.provider,
        {amount p.gross_text} as gross_value,
        {amount p.fee_text} as fee_value,
        {amount p.net_text} as net_value,
        {moment p.paid_text} as paid_moment,
        case when p.items ~ '^[0-9]{1,15}$' then p.items::bigint end as items_value,
        case
            when octet_length(p.currency) = 3
                and translate(lower(p.currency), 'abcdefghijklmnopqrstuvwxyz', '') = '' then upper(p.currency)
            else p.currency
        end as currency_code
    from plain p
    left join tieout.source s on s.account_id = $1 and s.source_id = $5
),

hashed as (
    select
        t.*,
        substr(sha256(convert_to(concat(
            tieout.prefixed(t.payout_id),
            tieout.prefixed(trim_scale(t.net_value)::text),
            tieout.prefixed(t.currency_code),
            tieout.prefixed(tieout.moment(t.paid_moment)),
            tieout.prefixed(t.items_value::text),
            tieout.prefixed(trim_scale(t.gross_value)::text),
            tieout.prefixed(trim_scale(t.fee_value)::text)
        ), 'UTF8')), 1, 16) as content_hash
    from typed t
)

select
    nullif(concat_ws(
        '; ',
        case when t.payout_id is null then 'transfer id: missing' end,
        case when t.currency is null then 'currency: missing' end,
        case when t.net is null then 'net total: missing' when t.net_value is null then 'net total: not a number' end,
        case when t.gross is not null and t.gross_value is null then 'gross total: not a number' end,
        case when t.fee is not null and t.fee_value is null then 'fee total: not a number' end,
        case when t.items is not null and t.items_value is null then 'number of items: not a whole number' end,
        case when t.paid_on is not null and t.paid_moment is null then 'transfer date: not a date' end,
        case when t.provider is null then 'source: not configured' end
    ), '') as reason,
    t.record_length,
    t.block,
    $1,
    coalesce($5, ''),
    t.payout_id,
    $2,
    $3,
    coalesce($4::timestamptz, $3),
    coalesce($4::timestamptz, $3),
    least($8, 32000)::smallint,
    t.net_value,
    t.currency_code,
    t.paid_moment,
    t.items_value,
    t.gross_value,
    t.fee_value,
    array(
        select u.ref
        from unnest(array[{reference t.provider||':payout' t.payout_id}]) as u (ref)
        where u.ref is not null
    ),
    $7,
    $6,
    t.line_no,
    t.content_hash
from hashed t
