-- One row put in: one event that belongs to no payment and has a break that stands, is waited for, or was found by a rule
-- that looks at whole sources. $1 account, $2 as_of.
insert into scope_record (member, source_id, record_id, round)
select
    'event',
    split_part(substr(x.subject, 7), '/', 1),
    substr(x.subject, strpos(x.subject, '/') + 1),
    2
from (
    select b.subject
    from tieout.break as b
    where b.account_id = $1 and b.state in ('open', 'acknowledged') and b.payment_id is null
    union
    select w.subject
    from tieout.watch as w
    where w.account_id = $1 and w.look_again_at <= $2 and w.payment_id is null
    union
    select f.subject
    from run_finding as f
) as x
where x.subject like 'event:%'
on conflict do nothing
