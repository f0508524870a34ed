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
    where abs(p.amount - b.written) > 0.01 and abs(p.amount - b.turned) <= 0.01
)

update settlement_line_row l set
    gross = -l.gross,
    net = coalesce(l.fee, 0) - l.gross,
    flags = array_append(l.flags, 'sign_turned'),
    content_hash = substr(sha256(l.content_hash || '-'), 1, 16)
from meant m
where l.block = m.block and l.reason is null and l.kind in ('refund', 'chargeback') and l.gross > 0
