-- One row: one record that a run has set aside and nobody had before.
select quarantine_id
from tieout.quarantine
where account_id = $1
    and source_id = $2
    and feed = $3
    and run_id = $4
