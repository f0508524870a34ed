-- One row: one payout that was made or became known within the run's period, or that its lines do not explain.
select
    p.source_id as source,
    p.payout_id,
    p.origin,
    p.paid_at,
    p.state,
    p.currency,
    p.amount,
    p.gross,
    p.fees,
    p.tax,
    p.refunds,
    p.disputes,
    p.other,
    p.unclassified,
    p.rounding,
    p.unexplained,
    p.lines,
    p.items,
    p.file_name as file,
    p.observed_at
from {scope.payout} p
where not p.is_test
    and (
        p.unexplained <> 0
        or p.paid_at >= coalesce({period_from}, '-infinity') and p.paid_at < coalesce({period_to}, 'infinity')
        or p.observed_at >= coalesce({period_from}, '-infinity')
    )
