-- One row: one record in quarantine. The same bad record met again keeps its first place; what had been cleared by a
-- good version is open again, what a person dropped stays dropped. $1 account, $2 feed, $3 run, $4 ledger time.
insert into tieout.quarantine (
    account_id, source_id, feed, quarantine_id, run_id, last_run_id, observed_at, reason, record_id, refs, place, length,
    digest
)
select distinct on (n.source_id, n.digest)
    $1,
    n.source_id,
    $2,
    'Q' || substr(encode(sha256(convert_to(
        tieout.prefixed(n.source_id) || tieout.prefixed($2) || tieout.prefixed(encode(n.digest, 'hex')), 'UTF8'
    )), 'hex'), 1, 12),
    $3,
    $3,
    $4,
    n.reason,
    n.record_id,
    n.refs,
    n.place,
    n.length,
    n.digest
from quarantine_new n
order by n.source_id, n.digest, n.place collate "C", n.line_no
on conflict (account_id, source_id, feed, quarantine_id) do update set
    last_run_id = excluded.last_run_id,
    state = case quarantine.state when 'cleared' then 'open' else quarantine.state end,
    state_changed_at = case quarantine.state when 'cleared' then excluded.observed_at else quarantine.state_changed_at end,
    state_changed_by = case quarantine.state when 'cleared' then 'system' else quarantine.state_changed_by end
