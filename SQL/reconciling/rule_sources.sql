-- One row put in: how far rule $2 can judge one source of account $1 by the feeds it needs ($3, and $4 where only lines say
-- that its payments are settled).
insert into run_rule_source (
    rule, source_id, is_applicable, is_fresh, is_whole, provider_from, book_from, others_from, watermark, reason
)
select
    $2::text,
    n.source_id,
    count(f.feed) = cardinality(n.feeds) as is_applicable,
    count(f.feed) = cardinality(n.feeds) and coalesce(bool_and(f.is_fresh), true) as is_fresh,
    count(f.feed) = cardinality(n.feeds) and coalesce(bool_and(f.is_whole), true) as is_whole,
    max(f.covered_from) filter (where f.feed = 'provider') as provider_from,
    max(f.covered_from) filter (where f.feed = 'book') as book_from,
    max(f.covered_from) filter (where f.feed not in ('provider', 'book')) as others_from,
    case when bool_and(f.watermark is not null) then min(f.watermark) end as watermark,
    case
        when count(f.feed) < cardinality(n.feeds) then 'the source gives no such feed'
        else string_agg(f.reason, '; ' order by f.feed)
    end as reason
from (
    select
        s.source_id,
        $3::text[] || case when s.declaration @> '{"settled_by_lines": true}' then $4::text[] else '{}' end as feeds
    from tieout.source as s
    where s.account_id = $1
) as n
left join run_feed as f
    on f.source_id = n.source_id and f.feed = any(n.feeds)
group by n.source_id, n.feeds
