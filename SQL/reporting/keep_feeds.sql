-- One row changed: the run, which keeps in its own row how its feeds stood. feed_state knows only the present, and a
-- report made again as of this run must say what the first one said. Only the newest run may do so, and only once.
update tieout.run r
set summary = r.summary || jsonb_build_object('feeds', coalesce((
    select jsonb_agg(to_jsonb(f) - 'account_id' order by f.source_id, f.feed)
    from {feed_state_live} f), '[]'))
where r.account_id = {account} and r.run_id = {run} and not r.summary ? 'feeds'
  and not exists (select 1 from tieout.run n where n.account_id = {account} and n.run_id > {run})
