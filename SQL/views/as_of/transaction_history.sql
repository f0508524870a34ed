-- One row: one version of one transaction that was superseded by $2.
select x.*
from tieout.transaction_history as x
where x.observed_at <= $2 and x.superseded_at <= $2
