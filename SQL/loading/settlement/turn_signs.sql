-- One row: one refund or chargeback that is written without its sign, in a payout whose head is right only if it has one.
with block as (
    select
        p.block,
        sum(l.net) as written,
        sum(case when l.kind in ('refund', 'chargeback') and l.gross > 0 then coalesce(l.fee, 0) - l.gross else l.net end)
            as turned
    from payout_row p
    join settlement_line_row l on l.block = p.block and l.reason is null
    where p.reason is null and p.block > 0
    group by p.block
),

meant as (
    select b.block
    from block b
    join payout_row p on p.block = b.block
    -- A head is rounded to the digits of its currency, as where heads are checked.
    cross join lateral (
        select coalesce(
            (select power(10::numeric, -c.exponent) from tieout.currency c where c.code = p.currency), 0.01
        ) as least
    ) d
    where abs(p.amount - b.written) > d.least and abs(p.amount - b.turned) <= d.least
)

update settlement_line_row l set
    gross = -l.gross,
    net = coalesce(l.fee, 0) - l.gross,
    flags = array_append(l.flags, 'sign_turned'),
    content_hash = substr(sha256(l.content_hash || '-'), 1, 16)
from meant m
where l.block = m.block and l.reason is null and l.kind in ('refund', 'chargeback') and l.gross > 0
