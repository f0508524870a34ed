-- One row: the lock of one account, taken by this holder; no row where somebody else still holds it.
-- $1 account, $2 holder as jsonb, $3 lease in seconds, $4 the holder that was found dead (null: none).
insert into tieout.job_lock as held (account_id, fence, holder, expires_at)
values ($1, 1, $2::jsonb, now() + make_interval(secs => $3::bigint))
on conflict (account_id) do update
set fence = held.fence + 1,
    holder = excluded.holder,
    expires_at = excluded.expires_at
where held.expires_at <= excluded.expires_at - make_interval(secs => $3::bigint)
    or held.holder = $4::jsonb
returning fence
