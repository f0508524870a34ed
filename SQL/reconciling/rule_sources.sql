-- One row put in: how far rule $2 can judge one source of account $1 by the feeds it needs ($3).
insert into run_rule_source (rule, source_id, is_applicable, is_fresh, is_whole, covered_from, watermark, reason)
select
    $2::text,
    s.source_id,
    count(f.feed) = cardinality($3::text[]) as is_applicable,
    count(f.feed) = cardinality($3::text[]) and coalesce(bool_and(f.is_fresh), true) as is_fresh,
    count(f.feed) = cardinality($3::text[]) and coalesce(bool_and(f.is_whole), true) as is_whole,
    max(f.covered_from) as covered_from,
    case when bool_and(f.watermark is not null) then min(f.watermark) end as watermark,
    case
        when count(f.feed) < cardinality($3::text[]) then 'the source gives no such feed'
        else string_agg(f.reason, '; ' order by f.feed)
    end as reason
from tieout.source as s
left join run_feed as f
    on f.source_id = s.source_id and f.feed = any($3::text[])
where s.account_id = $1
group by s.source_id
