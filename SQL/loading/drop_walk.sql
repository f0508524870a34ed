-- One row: the position of one window of the walk $4; all of them go.
delete from tieout.checkpoint
where account_id = $1
    and source_id = $2
    and resource = $3
    and (walk = $4 or starts_with(walk, $4 || '/'))
