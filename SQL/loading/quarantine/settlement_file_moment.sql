-- One row: the moment that stood for a settlement file's export when it was loaded for its source. $1 account, $2 digest, $3
-- source.
select min(coalesce(f.exported_at, f.observed_at)) as moment
from tieout.loaded_file f
where f.account_id = $1 and f.feed = 'settlement' and f.digest = $2 and f.source_id = $3
