-- One row: one line of a settlement, polled (origin: provider) or from a file (file); amounts signed from the merchant's view,
-- in one currency. What a file and the provider show under one id is one line, as the provider shows it.
--   kind            charge | refund | chargeback | chargeback_reversal | fee | tax | commission | adjustment | reserve |
--                   carry_forward | other; transfer is a payout's own entry against its lines, and in no sum
--   is_known        false: nobody modelled its type or status
--   state           settled | settling | cancelled | unknown
--   transaction_id  the payment it names, by the provider's id; it may be stored under another
--   payout_id       the transfer it names, or that names it
--   is_paid_out     it is in a payout, or a file says that it was settled
--   subject         as rules name it
with polled as (
    select
        x.*,
        coalesce(x.delivered_currency, x.charged_currency) as currency,
        coalesce(
            x.kind in (
                'charge', 'refund', 'chargeback', 'chargeback_reversal', 'fee', 'tax', 'commission', 'adjustment',
                'reserve', 'carry_forward', 'other', 'transfer'
            ),
            false
        ) as is_kind
    from scope.record as x
    where x.resource = 'settlement_line'
),

-- Lines that payouts name.
named as (
    select
        p.account_id,
        p.source_id,
        substr(u.ref, strpos(u.ref, '=') + 1) as line_id,
        min(p.transaction_id) as payout_id
    from scope.record as p
    cross join unnest(p.refs) as u (ref)
    where p.resource = 'payout' and split_part(u.ref, '=', 1) like '%:line'
    group by p.account_id, p.source_id, substr(u.ref, strpos(u.ref, '=') + 1)
),

line as (
    select
        x.account_id,
        x.source_id,
        x.transaction_id as line_id,
        'provider' as origin,
        'transaction' as member,
        'settlement_line/' || x.transaction_id as record_id,
        coalesce(x.parent_id, r.transaction_id) as transaction_id,
        coalesce(r.payout_id, n.payout_id) as payout_id,
        x.direction,
        case when x.is_kind then x.kind else 'other' end as kind,
        x.kind as type_word,
        x.is_kind and x.state <> 'unknown' and not x.flags @> array['type_unknown'] collate "C" as is_known,
        x.raw_status,
        x.state,
        case when x.charged_currency = x.currency then x.charged end as gross,
        case when coalesce(x.fee_currency, x.currency) = x.currency then x.fee_total end as fee,
        null::numeric as tax,
        null::numeric as other,
        coalesce(
            x.delivered,
            case when x.charged_currency = x.currency then x.charged + coalesce(x.fee_total, 0) end
        ) as net,
        x.currency,
        x.charged as transaction_amount,
        x.charged_currency as transaction_currency,
        null::numeric as fx_rate,
        x.taken_at as settled_at,
        x.created_at as happened_at,
        x.payment_method,
        x.segment,
        x.is_test,
        x.refs,
        x.flags,
        null::text as file_name,
        null::bigint as line_no,
        x.observed_at,
        x.run_id
    from polled as x
    left join lateral (
        select
            min(substr(u.ref, strpos(u.ref, '=') + 1)) filter (where split_part(u.ref, '=', 1) like '%:payout') as payout_id,
            min(substr(u.ref, strpos(u.ref, '=') + 1)) filter (where split_part(u.ref, '=', 1) like '%:transaction')
                as transaction_id
        from unnest(x.refs) as u (ref)
    ) as r on true
    left join named as n
        on n.account_id = x.account_id and n.source_id = x.source_id and n.line_id = x.transaction_id
    union all
    select
        x.account_id,
        x.source_id,
        x.line_id,
        'file',
        'line',
        x.line_id,
        r.transaction_id,
        x.payout_id,
        'in',
        x.kind,
        x.type_word,
        not x.flags && array['type_unknown', 'status_unknown'] collate "C",
        x.raw_status,
        x.state,
        x.gross,
        x.fee,
        x.tax,
        x.other,
        x.net,
        x.currency,
        coalesce(x.transaction_amount, x.gross),
        case when x.transaction_amount is null then x.currency else x.transaction_currency end,
        x.fx_rate,
        x.settled_at,
        coalesce(x.happened_at, x.settled_at),
        x.payment_method,
        x.segment,
        false,
        x.refs,
        x.flags,
        x.file_name,
        x.line_no,
        x.observed_at,
        x.run_id
    from scope.file_line as x
    left join lateral (
        select min(substr(u.ref, strpos(u.ref, '=') + 1)) as transaction_id
        from unnest(x.refs) as u (ref)
        where split_part(u.ref, '=', 1) like '%:transaction'
    ) as r on true
    left join scope.record as d
        on d.account_id = x.account_id
        and d.source_id = x.source_id
        and d.resource = 'settlement_line'
        and d.transaction_id = x.line_id
    where d.transaction_id is null
)

select
    l.account_id,
    l.source_id,
    l.line_id,
    l.origin,
    m.payment_id,
    l.transaction_id,
    l.payout_id,
    l.direction,
    l.kind,
    l.type_word,
    l.is_known,
    l.raw_status,
    l.state,
    l.payout_id is not null or (l.origin = 'file' and l.state = 'settled') as is_paid_out,
    l.gross,
    l.fee,
    l.tax,
    l.other,
    l.net,
    l.currency,
    l.transaction_amount,
    l.transaction_currency,
    l.fx_rate,
    l.settled_at,
    l.happened_at,
    l.payment_method,
    l.segment,
    l.is_test,
    l.refs,
    l.flags,
    l.file_name,
    l.line_no,
    l.member || ':' || l.source_id || '/' || l.record_id as subject,
    l.observed_at,
    l.run_id
from line as l
left join scope.member as m
    on m.account_id = l.account_id
    and m.member = l.member
    and m.source_id = l.source_id
    and m.record_id = l.record_id
