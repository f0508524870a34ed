-- One row: one step of the bridge of one payout, in order, with where its bar begins and ends in thousandths of the widest sum;
-- first the payouts that are not explained, then the newest. The last step is the payout itself.
with shown as (
    select p.*, row_number() over (order by p.unexplained = 0, p.paid_at desc, p.source_id, p.payout_id) as place
    from {scope.payout} p
    where not p.is_test and p.origin <> 'lines'
    order by place
    limit {limit}
),

step as (
    select s.place, s.source_id, s.payout_id, s.currency, s.paid_at, s.unexplained, v.n, v.label, v.amount
    from shown s
    cross join lateral (
        values
            (1, 'Gross', s.gross), (2, 'Fees', s.fees), (3, 'Tax', s.tax), (4, 'Refunds', s.refunds),
            (5, 'Disputes', s.disputes), (6, 'Other', s.other), (7, 'Unclassified', s.unclassified),
            (8, 'Rounding', s.rounding), (9, 'Unexplained', s.unexplained), (10, 'Payout', s.amount)
    ) as v (n, label, amount)
    where v.amount <> 0 or v.n in (1, 9, 10)
),

ended as (
    select
        s.*,
        case s.n when 10 then s.amount else sum(s.amount) filter (where s.n < 10) over in_order end as till,
        case s.n when 10 then 0 else sum(s.amount) filter (where s.n < 10) over in_order - s.amount end as since
    from step s
    window in_order as (partition by s.place order by s.n)
),

scaled as (
    select
        e.*,
        least(min(least(e.till, e.since)) over of_payout, 0) as low,
        greatest(max(greatest(e.till, e.since)) over of_payout, 0) as high
    from ended e
    window of_payout as (partition by e.place)
)

select
    c.place,
    c.source_id as source,
    c.payout_id,
    c.currency,
    to_char(c.paid_at at time zone 'UTC', 'YYYY-MM-DD') as paid_on,
    c.unexplained = 0 as is_explained,
    c.label,
    c.n in (1, 10) as is_end,
    trim_scale(c.amount)::text as amount,
    case when c.high > c.low then round(1000 * (least(c.till, c.since) - c.low) / (c.high - c.low))::bigint else 0 end
        as left_edge,
    case when c.high > c.low then round(1000 * abs(c.till - c.since) / (c.high - c.low))::bigint else 0 end as width
from scaled c
order by c.place, c.n
