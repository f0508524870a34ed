-- One row: the account as the configuration describes it. $1 id, $2 name, $3 zone, $4 cut-off in seconds.
insert into tieout.account (account_id, name, zone, cut_off)
values ($1, $2, $3, make_interval(secs => $4::bigint))
on conflict (account_id) do update
set zone = excluded.zone,
    cut_off = excluded.cut_off
