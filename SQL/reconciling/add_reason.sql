-- One row put in: one reason, by digest.
insert into tieout.break_reason (account_id, digest, body)
values ($1, $2, $3)
on conflict (account_id, digest) do nothing
