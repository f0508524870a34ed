-- One row: one small table of reference data that rules read, as text, a row a line.
select 'tag_assets' as name, string_agg(concat_ws(',', a.asset, a.network), chr(10) order by a.asset, a.network) as body
from tieout.tag_asset as a
having count(*) > 0
union all
select
    'fee_schedule',
    string_agg(to_jsonb(f)::text, chr(10) order by f.name)
from tieout.fee_schedule as f
having count(*) > 0
