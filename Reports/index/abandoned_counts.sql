-- One row: sessions and orders of one source and business day that lapsed unpaid, by who says so.
select
    left(x.source_id, 161) as source,
    to_char(tieout.business_day(x.lapsed_at, a.zone, a.cut_off), 'YYYY-MM-DD') as business_day,
    count(*) filter (where x.says = 'both sides') as both_sides,
    count(*) filter (where x.says = 'the book alone') as book_alone,
    count(*) filter (where x.says = 'the provider alone') as provider_alone,
    count(*) filter (where x.says = 'a break') as breaks,
    count(*) as sessions
from {abandoned} x
join tieout.account a on a.account_id = {account}
group by 1, 2
order by 2 desc, 1
limit {limit}
