-- One row put in: the head of an empty audit trail.
insert into tieout.break_chain (account_id, seq, digest)
values ($1, 0, sha256(convert_to('tieout audit trail of account ' || $1::bigint, 'UTF8')))
on conflict (account_id) do nothing
