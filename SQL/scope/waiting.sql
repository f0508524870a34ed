-- One row put in: one payment without news that may stand otherwise now. $1 account, $2 as_of, $3 the trail's number when
-- the rules last judged.
insert into run_scope (payment_id)
-- Due, end of grace, expiry, a horizon that passes; or what could not be evaluated.
select w.payment_id
from tieout.watch as w
where w.account_id = $1 and w.look_again_at <= $2 and w.payment_id is not null
union
-- What waits for its time while a feed is not fresh: nothing may be said of it now.
select w.payment_id
from tieout.watch as w
where w.account_id = $1
    and w.reason = 'awaiting'
    and w.payment_id is not null
    and exists (select 1 from run_feed as f where not f.is_fresh)
union
-- Breaks that stand, or that a person has dealt with; by their record, which may belong to another payment by now.
select coalesce(m.payment_id, b.payment_id)
from (
    select b.subject, b.source_id, b.payment_id
    from tieout.break as b
    where b.account_id = $1 and b.state in ('open', 'acknowledged')
    union
    select e.subject, e.source_id, e.payment_id
    from tieout.break_event as e
    where e.account_id = $1 and e.seq > $3 and e.run_id is null
    union
    -- What a rule that looks at whole sources has found.
    select f.subject, f.source_id, f.payment_id
    from run_finding as f
) as b
left join tieout.payment_member as m
    on m.account_id = $1
    and m.member = split_part(b.subject, ':', 1)
    and m.source_id = b.source_id
    and m.record_id = case split_part(b.subject, ':', 1)
        when 'order' then substr(b.subject, 7)
        else substr(b.subject, strpos(b.subject, '/') + 1)
    end
where coalesce(m.payment_id, b.payment_id) is not null
union
-- Totals that depend on how far the feeds reach.
select u.payment_id
from tieout.control_unit as u
where u.account_id = $1 and not u.is_settled
union
-- What a record in quarantine belongs to.
select q.payment_id
from run_quarantined as q
on conflict do nothing
