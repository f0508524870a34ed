-- One row put in or changed: the head of the trail.
insert into tieout.break_chain (account_id, seq, digest)
select 1, e.seq, e.digest from tieout.break_event e where e.account_id = 1 and e.seq = $1
on conflict (account_id) do update set seq = excluded.seq, digest = excluded.digest
