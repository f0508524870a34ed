-- One row put in: one payment that a record still in quarantine belongs to, by its references or by its own id. Records are
-- named as members are: those of a provider other than payments by their resource before their id.
insert into run_quarantined (payment_id, feed)
select distinct m.payment_id, q.feed
from tieout.quarantine as q
left join scope.source as s
    on s.account_id = q.account_id and s.source_id = q.source_id
cross join lateral (
    select u.ref from unnest(q.refs) as u (ref)
    union
    select case q.feed
        when 'book' then 'book:order=' || q.record_id
        when 'provider'
            then s.provider || ':' || tieout.resource_of(q.record_id) || '=' || tieout.record_of(q.record_id)
    end
) as r
inner join tieout.payment_key as m
    on m.account_id = q.account_id and m.key = tieout.key_of(tieout.reference_name(r.ref, coalesce(s.space, q.source_id)))
where q.account_id = $1 and q.state = 'open' and r.ref is not null
union
-- The record itself, where an earlier version of it is stored.
select m.payment_id, q.feed
from tieout.quarantine as q
inner join tieout.payment_member as m
    on m.account_id = q.account_id
    and m.source_id = q.source_id
    and m.member = case q.feed
        when 'book' then 'order' when 'webhook' then 'event' when 'settlement' then 'line' else 'transaction'
    end
    and m.record_id = q.record_id
where q.account_id = $1 and q.state = 'open'
