-- rule: payout_variance
-- title: Payout differs from its lines
-- severity: high
-- grain: payout
-- needs:
-- proves: presence
-- why: The transfer is not what its lines come to, so part of the money is explained by nothing.
-- fix: Ask the provider for the line that is missing or wrong, or for a corrected report.

-- One row: one payout that its lines do not add up to, beyond the rounding of one minor unit. A polled payout is held
-- against its lines once these were read up to the moment at which it was made; the lines of a file came with it.
select
    p.account_id,
    p.source_id,
    null::bigint as payment_id,
    p.subject,
    'high' as severity,
    p.unexplained as difference,
    abs(p.unexplained) as at_risk,
    p.currency,
    null::timestamptz as due_at,
    jsonb_build_array(
        jsonb_build_object(
            'field', 'net',
            'a', tieout.printed(p.amount, x.exponent) || ' ' || p.currency,
            'b', tieout.printed(p.amount - p.unexplained - p.rounding, x.exponent) || ' ' || p.currency,
            'a_from', 'payout',
            'b_from', 'settlement'
        ),
        jsonb_build_object(
            'field', 'lines', 'a', p.items::text, 'b', p.lines::text, 'a_from', 'payout', 'b_from', 'settlement'
        )
    )
    || (
        select
            jsonb_agg(
                jsonb_build_object(
                    'field', g.field, 'a', null, 'b', tieout.printed(g.amount, x.exponent) || ' ' || p.currency,
                    'a_from', 'payout', 'b_from', 'settlement'
                )
                order by g.n
            )
        from (
            values
                (1, 'gross', p.gross), (2, 'fees', p.fees), (3, 'tax', p.tax), (4, 'refunds', p.refunds),
                (5, 'disputes', p.disputes), (6, 'other', p.other), (7, 'unclassified', p.unclassified),
                (8, 'rounding', p.rounding), (9, 'unexplained', p.unexplained)
        ) as g (n, field, amount)
        where g.amount <> 0 or g.field in ('gross', 'unexplained')
    )
    || case when p.foreign_lines > 0 then
        jsonb_build_array(
            jsonb_build_object(
                'field', 'lines in another currency', 'a', null, 'b', p.foreign_lines::text,
                'a_from', 'payout', 'b_from', 'settlement'
            )
        )
    else '[]'::jsonb end as fields
from scope.payout as p
left join scope.currency as x
    on x.code = p.currency
left join scope.feed as f
    on f.account_id = p.account_id and f.source_id = p.source_id and f.feed = 'settlement'
where p.unexplained <> 0
    and not p.is_test
    and (p.origin = 'file' or f.watermark >= p.created_at)
