-- One row: the knowledge cut of the run and of the one it is compared with, in the account's zone.
select
    to_char({as_of} at time zone a.zone, 'FMDD FMMonth YYYY, HH24:MI') as as_of,
    to_char({since_as_of} at time zone a.zone, 'FMDD FMMonth YYYY, HH24:MI') as since
from tieout.account a
where a.account_id = {account}
