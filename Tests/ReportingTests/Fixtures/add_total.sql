-- One row put in: one control total of book and provider in currency $1; $2 and $3 the sides, $4 the classes.
insert into tieout.control_total (
    account_id, pair, source_id, business_day, direction, currency, bucket, run_id, observed_at, a_count, a_sum, b_count,
    b_sum, classes, unexplained_count, unexplained_sum
)
values (
    1, 'book-provider', 'meld-live', '2026-08-21', 'in', $1, 'taken', 2, '2026-08-22T00:40:00Z', 3, $2::numeric, 3,
    $3::numeric, $4, 0, 0
)
