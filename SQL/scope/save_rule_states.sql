-- One row put in or changed: how far one rule has judged now. $1 account, $2 rules, $3 digest of each, $4 as_of, $5 whether
-- everything was evaluated.
insert into tieout.rule_state as s (account_id, rule, digest, judged_to, judged_seq, full_at)
select
    $1::bigint,
    u.rule,
    u.digest,
    $4::timestamptz,
    coalesce((select c.seq from tieout.break_chain as c where c.account_id = $1), 0),
    case when $5::boolean then $4::timestamptz end
from unnest($2::text[], $3::bytea[]) as u (rule, digest)
on conflict (account_id, rule) do update
set
    digest = excluded.digest,
    judged_to = excluded.judged_to,
    judged_seq = excluded.judged_seq,
    full_at = coalesce(excluded.full_at, s.full_at)
