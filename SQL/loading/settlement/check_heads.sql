-- One row: one head of the settlement file in hand, with what its rows come to; flags say where the two differ. Totals are
-- rounded to the currency's digits, rows are not.
with found as (
    select
        p.line_no,
        count(l.line_no) as items,
        coalesce(sum(l.gross), 0) as gross,
        coalesce(sum(l.fee), 0) as fee,
        coalesce(sum(l.net), 0) as net,
        count(l.line_no) filter (where l.reason is not null) as unread
    from payout_row p
    left join settlement_line_row l on l.block = p.block
    where p.reason is null
    group by p.line_no
),

judged as (
    select
        f.*,
        array_remove(
            array[
                case when abs(p.fee_total - f.fee) > d.least then 'fees_differ' end,
                case when abs(p.gross_total - f.gross) > d.least then 'gross_differs' end,
                case when p.items <> f.items then 'items_differ' end,
                case when abs(p.amount - f.net) > d.least then 'net_differs' end
            ],
            null
        ) as flags
    from found f
    join payout_row p on p.line_no = f.line_no
    cross join lateral (
        select coalesce(
            (select power(10::numeric, -c.exponent) from tieout.currency c where c.code = p.currency), 0.01
        ) as least
    ) d
)

update payout_row p set
    flags = f.flags,
    content_hash = substr(sha256(p.content_hash || convert_to(f.flags::text, 'UTF8')), 1, 16)
from judged f
where p.line_no = f.line_no
returning
    p.line_no,
    p.payout_id,
    p.currency,
    p.flags,
    p.items,
    f.items as found_items,
    f.unread,
    trim_scale(p.gross_total)::text as gross,
    trim_scale(f.gross)::text as found_gross,
    trim_scale(p.fee_total)::text as fee,
    trim_scale(f.fee)::text as found_fee,
    trim_scale(p.amount)::text as net,
    trim_scale(f.net)::text as found_net
