-- One row goes: the walk needs its position no more.
delete from tieout.checkpoint
where account_id = $1
    and source_id = $2
    and resource = $3
    and walk = $4
