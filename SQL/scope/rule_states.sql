-- One row: how far one rule has judged, and by which texts. $1 account.
select s.rule, s.digest, s.judged_to, s.judged_seq, s.full_at
from tieout.rule_state as s
where s.account_id = $1
