-- One row: one class of records that no break is about, in one currency, over the pair of book and provider.
select
    x.class,
    t.currency,
    sum((t.classes -> x.class ->> 'count')::bigint)::bigint as records,
    sum((t.classes -> x.class ->> 'sum')::numeric)::text as amount
from {control_totals} t
cross join unnest(array['awaiting', 'ambiguous', 'not_evaluated', 'before_coverage', 'quarantined'])
    with ordinality as x (class, n)
where t.pair in ('book-provider', 'book↔provider') and (t.classes -> x.class ->> 'count')::bigint > 0
group by x.class, x.n, t.currency
order by x.n, t.currency
