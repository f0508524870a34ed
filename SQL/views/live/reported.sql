-- One row: one payment as its provider reports it (not its refunds, disputes, settlement lines and payouts), in its current
-- version; scope.transaction lays over it what those say. money is the effective one: the version's own, or what its status
-- means after money was seen held, taken or delivered in an earlier version or valid event, by their own times. Money that
-- was held is no more once another transaction that names this one as its parent, a capture, has it.
-- charged: where a record can be read in two ways (a flag names the other one and what was charged by it), the one that the
-- payment's order agrees with; reading_matched says which.
-- taken_at: the provider's paid time, else the earliest valid event with money taken, else the update time of the
-- first version that says so, else creation; null while nothing was taken.
select
    t.account_id,
    t.source_id,
    t.resource,
    t.transaction_id,
    t.parent_id,
    m.payment_id,
    t.direction,
    t.kind,
    t.raw_status,
    t.state,
    t.state_rank,
    case
        when t.money = 'held' and captured.parent_id is not null then 'none'
        when t.after_delivered is not null and once.delivered_at <= t.version_time then t.after_delivered
        when t.after_taken is not null and least(once.taken_at, once.delivered_at) <= t.version_time then t.after_taken
        when t.after_held is not null
            and least(once.held_at, once.taken_at, once.delivered_at) <= t.version_time then t.after_held
        -- It says nothing of its own, only what money seen before means: what was seen is that there was none.
        when t.money = 'unknown' and t.after_taken is not null and once.none_at <= t.version_time then 'none'
        else t.money
    end as money,
    t.is_final,
    case
        when t.money in ('taken', 'delivered', 'returned')
            or (
                t.after_taken is not null or t.after_delivered is not null
            ) and least(once.taken_at, once.delivered_at) <= t.version_time
            then coalesce(
                t.taken_at,
                once.paid_at,
                least(before.updated_at, case when t.money in ('taken', 'delivered') then t.updated_at end),
                t.updated_at,
                t.created_at
            )
    end as taken_at,
    t.created_at,
    t.updated_at,
    t.version_time,
    t.provider,
    t.payment_method,
    t.country,
    coalesce(other.charged, t.charged) as charged,
    t.charged_currency,
    t.delivered,
    t.delivered_currency,
    t.returned,
    t.disputed,
    t.fee_network,
    t.fee_provider,
    t.fee_partner,
    t.fee_other,
    t.fee_total,
    t.fee_currency,
    t.customer_id,
    t.wallet_address,
    t.wallet_tag,
    t.segment,
    t.is_test,
    t.refs,
    case when other.flag is null then t.flags else t.flags || other.flag end as flags,
    t.observed_at,
    t.run_id
from tieout.transaction as t
left join scope.member as m
    on m.account_id = t.account_id
    and m.member = 'transaction'
    and m.source_id = t.source_id
    and m.record_id = case t.resource when 'transaction' then t.transaction_id
        else t.resource || '/' || t.transaction_id end
-- When each kind of money was first seen in an earlier version, for the few transactions whose status asks for it.
left join (
    select
        u.account_id,
        u.source_id,
        u.resource,
        u.transaction_id,
        min(u.at) filter (where u.money = 'none') as none_at,
        min(u.at) filter (where u.money = 'held') as held_at,
        min(u.at) filter (where u.money = 'taken') as taken_at,
        min(u.at) filter (where u.money = 'delivered') as delivered_at
    from (
        select h.account_id, h.source_id, h.resource, h.transaction_id, h.money, h.version_time as at
        from tieout.transaction_history as h
        inner join tieout.transaction as c
            on c.account_id = h.account_id
            and c.source_id = h.source_id
            and c.resource = h.resource
            and c.transaction_id = h.transaction_id
        where (c.after_held is not null or c.after_taken is not null or c.after_delivered is not null)
            and h.money in ('none', 'held', 'taken', 'delivered')
            -- The same bytes under an older status map are no earlier sight of money.
            and h.raw_hash <> c.raw_hash
            -- Of the same bytes only the newest reading counts.
            and not exists (
                select 1
                from tieout.transaction_history as n
                where n.account_id = h.account_id
                    and n.source_id = h.source_id
                    and n.resource = h.resource
                    and n.transaction_id = h.transaction_id
                    and n.raw_hash = h.raw_hash
                    and n.request_started_at = h.request_started_at
                    and n.observed_at > h.observed_at
            )
    ) as u
    group by u.account_id, u.source_id, u.resource, u.transaction_id
) as seen
    on seen.account_id = t.account_id
    and seen.source_id = t.source_id
    and seen.resource = t.resource
    and seen.transaction_id = t.transaction_id
-- What was held by one transaction and is held or taken by another now.
left join (
    select distinct c.account_id, c.source_id, c.resource, c.parent_id
    from tieout.transaction as c
    where c.parent_id is not null
        and c.resource = 'transaction'
        and c.money in ('held', 'taken', 'delivered', 'returned')
) as captured
    on captured.account_id = t.account_id
    and captured.source_id = t.source_id
    and captured.resource = t.resource
    and captured.parent_id = t.transaction_id
-- When events first said so, all kinds in one pass, which the index on events answers alone.
left join (
    select
        e.account_id,
        e.source_id,
        e.transaction_id,
        min(e.event_time) filter (where e.money = 'none') as none_at,
        min(e.event_time) filter (where e.money = 'held') as held_at,
        min(e.event_time) filter (where e.money = 'taken') as taken_at,
        min(e.event_time) filter (where e.money = 'delivered') as delivered_at
    from tieout.webhook_event as e
    left join scope.source as s
        on s.account_id = e.account_id and s.source_id = e.source_id
    where (e.verdict = 'valid' or (e.verdict = 'unsigned' and s.unsigned_counts))
        and e.money in ('none', 'held', 'taken', 'delivered')
    group by e.account_id, e.source_id, e.transaction_id
) as heard
    on heard.account_id = t.account_id
    and heard.source_id = t.source_id
    and heard.transaction_id = t.transaction_id
    and t.resource = 'transaction'
-- The first earlier version that says so.
left join (
    select h.account_id, h.source_id, h.resource, h.transaction_id, min(h.updated_at) as updated_at
    from tieout.transaction_history as h
    where h.money in ('taken', 'delivered')
        -- Of the same bytes only the newest reading counts.
        and not exists (
            select 1
            from tieout.transaction_history as n
            where n.account_id = h.account_id
                and n.source_id = h.source_id
                and n.resource = h.resource
                and n.transaction_id = h.transaction_id
                and n.raw_hash = h.raw_hash
                and n.request_started_at = h.request_started_at
                and n.observed_at > h.observed_at
        )
    group by h.account_id, h.source_id, h.resource, h.transaction_id
) as before
    on before.account_id = t.account_id
    and before.source_id = t.source_id
    and before.resource = t.resource
    and before.transaction_id = t.transaction_id
-- Which of two readings of its amount an order agrees with, of the few that can be read in two ways.
left join (
    select
        x.account_id,
        x.source_id,
        x.resource,
        x.transaction_id,
        min(r.charged) filter (where not f.is_first) as charged,
        'reading_matched=' || min(
            case when f.is_first = (r.word = 'fees_on_top') then 'fees_included' else 'fees_on_top' end
        ) as flag
    from tieout.transaction as x
    cross join unnest(x.flags) as u (flag)
    cross join lateral (
        select
            split_part(u.flag, '=', 1) as word,
            case when u.flag ~ '^(fees_on_top|fees_included)=[0-9]+(\.[0-9]+)?$' then split_part(u.flag, '=', 2)::numeric end
                as charged
    ) as r
    inner join scope.member as n
        on n.account_id = x.account_id
        and n.member = 'transaction'
        and n.source_id = x.source_id
        and n.record_id = x.transaction_id
    inner join scope.book_order as o
        on o.account_id = n.account_id
        and o.payment_id = n.payment_id
        and o.direction = x.direction
        and o.currency = x.charged_currency
    cross join lateral (select o.amount = x.charged as is_first) as f
    where x.flags @> array['reading_open'] collate "C"
        -- As the index on flags has it.
        and x.flags <> '{}'
        and x.resource = 'transaction'
        and (f.is_first or o.amount = r.charged)
        and r.charged is not null
    group by x.account_id, x.source_id, x.resource, x.transaction_id
    -- Orders of both amounts say nothing.
    having bool_and(f.is_first) or not bool_or(f.is_first)
) as other
    on other.account_id = t.account_id
    and other.source_id = t.source_id
    and other.resource = t.resource
    and other.transaction_id = t.transaction_id
cross join lateral (
    select
        least(seen.none_at, heard.none_at) as none_at,
        least(seen.held_at, heard.held_at) as held_at,
        least(seen.taken_at, heard.taken_at) as taken_at,
        least(seen.delivered_at, heard.delivered_at) as delivered_at,
        least(heard.taken_at, heard.delivered_at) as paid_at
) as once
where t.resource not in ('refund', 'dispute', 'settlement_line', 'transfer', 'payout')
