-- One row: one payout, polled (origin: provider), from the head of a settlement file (file), or, where it is known by its lines
-- alone, one of their currencies (lines), with its bridge, in its currency. subject, as rules name it, is of one row alone.
--   gross + fees + tax + refunds + disputes + other + unclassified + rounding + unexplained = amount
-- fees: what was taken out of transactions; other: fees of the account, adjustments, reserves and the like, whichever of
-- their columns has the amount. rounding: at most one minor unit of the currency. Lines that are cancelled, in another
-- currency, or the payout's own entry are in no sum.
with stated as (
    select
        x.account_id,
        x.source_id,
        x.transaction_id as payout_id,
        'provider' as origin,
        x.raw_status,
        x.state,
        x.delivered as amount,
        x.delivered_currency as currency,
        coalesce(x.taken_at, x.created_at) as paid_at,
        x.created_at,
        (
            select count(*)
            from unnest(x.refs) as u (ref)
            where split_part(u.ref, '=', 1) like '%:line'
        ) as items,
        x.is_test,
        x.flags,
        null::text as file_name,
        x.observed_at,
        x.run_id
    from scope.record as x
    where x.resource = 'payout'
    union all
    select
        x.account_id,
        x.source_id,
        x.payout_id,
        'file',
        null,
        'settled',
        x.amount,
        x.currency,
        x.paid_at,
        x.paid_at,
        x.items,
        false,
        x.flags,
        x.file_name,
        x.observed_at,
        x.run_id
    from scope.file_payout as x
    left join scope.record as d
        on d.account_id = x.account_id
        and d.source_id = x.source_id
        and d.resource = 'payout'
        and d.transaction_id = x.payout_id
    where d.transaction_id is null
),

part as (
    select
        l.account_id,
        l.source_id,
        l.payout_id,
        l.currency,
        l.kind,
        l.is_known,
        l.kind in ('charge', 'refund', 'chargeback', 'chargeback_reversal') as is_of_transaction,
        coalesce(l.gross, l.net - coalesce(l.fee, 0) - coalesce(l.tax, 0) - coalesce(l.other, 0), 0) as gross,
        coalesce(l.fee, 0) as fee,
        coalesce(l.tax, 0) as tax,
        coalesce(l.other, 0) as other,
        coalesce(l.net, 0) as net,
        l.settled_at,
        l.is_test,
        l.file_name,
        l.observed_at,
        l.run_id
    from scope.settlement_line as l
    where l.payout_id is not null and l.kind <> 'transfer' and l.state <> 'cancelled'
),

whole as (
    select
        p.account_id,
        p.source_id,
        p.payout_id,
        p.currency,
        count(*) as lines,
        sum(p.gross) filter (where p.kind = 'charge') as gross,
        sum(p.fee) filter (where p.is_of_transaction) as fees,
        sum(p.tax) + coalesce(sum(p.gross) filter (where p.kind = 'tax'), 0) as tax,
        sum(p.gross) filter (where p.kind = 'refund') as refunds,
        sum(p.gross) filter (where p.kind in ('chargeback', 'chargeback_reversal')) as disputes,
        -- In whichever column a fee of the account has its amount.
        sum(p.other)
            + coalesce(
                sum(case p.kind when 'tax' then p.fee else p.gross + p.fee end) filter (
                    where not p.is_of_transaction and p.is_known
                ),
                0
            ) as other,
        sum(case p.kind when 'tax' then p.fee else p.gross + p.fee end) filter (
            where not p.is_of_transaction and not p.is_known
        ) as unclassified,
        sum(p.net) as net,
        max(p.settled_at) as settled_at,
        bool_and(p.is_test) as is_test,
        min(p.file_name) as file_name,
        max(p.observed_at) as observed_at,
        max(p.run_id) as run_id
    from part as p
    group by p.account_id, p.source_id, p.payout_id, p.currency
),

every_currency as (
    select w.account_id, w.source_id, w.payout_id, sum(w.lines)::bigint as lines
    from whole as w
    group by w.account_id, w.source_id, w.payout_id
),

bundle as (
    select
        s.account_id, s.source_id, s.payout_id, s.origin, s.raw_status, s.state, s.amount, s.currency, s.paid_at,
        s.created_at, s.items, s.is_test, s.flags, s.file_name, s.observed_at, s.run_id
    from stated as s
    union all
    select
        w.account_id, w.source_id, w.payout_id, 'lines', null, 'settled', w.net, w.currency, w.settled_at,
        w.settled_at, null, w.is_test, '{}', w.file_name, w.observed_at, w.run_id
    from whole as w
    left join stated as s
        on s.account_id = w.account_id and s.source_id = w.source_id and s.payout_id = w.payout_id
    where s.payout_id is null
),

bridged as (
    select
        b.*,
        coalesce(w.lines, 0) as lines,
        coalesce(w.gross, 0) as gross,
        coalesce(w.fees, 0) as fees,
        coalesce(w.tax, 0) as tax,
        coalesce(w.refunds, 0) as refunds,
        coalesce(w.disputes, 0) as disputes,
        coalesce(w.other, 0) as other,
        coalesce(w.unclassified, 0) as unclassified,
        coalesce(a.lines - coalesce(w.lines, 0), 0) as foreign_lines
    from bundle as b
    left join every_currency as a
        on a.account_id = b.account_id and a.source_id = b.source_id and a.payout_id = b.payout_id
    left join whole as w
        on w.account_id = b.account_id
        and w.source_id = b.source_id
        and w.payout_id = b.payout_id
        and coalesce(w.currency, '') = coalesce(b.currency, '')
)

select
    b.account_id,
    b.source_id,
    b.payout_id,
    b.origin,
    b.raw_status,
    b.state,
    b.amount,
    b.currency,
    b.paid_at,
    b.created_at,
    b.items,
    b.lines,
    b.foreign_lines,
    b.gross,
    b.fees,
    b.tax,
    b.refunds,
    b.disputes,
    b.other,
    b.unclassified,
    case when d.is_rounding then d.difference else 0 end as rounding,
    case when d.is_rounding then 0 else d.difference end as unexplained,
    b.is_test,
    b.flags,
    b.file_name,
    'payout:' || b.source_id || '/' || b.payout_id
        || case b.origin when 'lines' then coalesce(' ' || b.currency, '') else '' end as subject,
    b.observed_at,
    b.run_id
from bridged as b
left join scope.currency as x
    on x.code = b.currency
cross join lateral (
    select
        b.amount - b.gross - b.fees - b.tax - b.refunds - b.disputes - b.other - b.unclassified as difference
) as g
cross join lateral (
    select g.difference, abs(g.difference) <= power(10::numeric, -coalesce(x.exponent, 2)) as is_rounding
) as d
