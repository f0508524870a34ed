-- One row: one payment in its current version (its provider's own record, or a second view of it), with what its refunds,
-- disputes and settlement lines say laid over it:
--   returned      what went back: the provider's own sum, or that of its refunds, or of the refunds that were settled,
--                 whichever is most; they tell of the same money
--   disputed      what is disputed: open or lost; charged_back: what of it the customer has back
--   money, state  returned and refunded once all of it went back; disputed while a dispute is open or where it was lost;
--                 settled once its line is, which on direction out means delivered
--   is_settled, settled_amount, is_paid_out, settled_at: what its lines say, in its currency. is_unclear: its payment has
--                 lines, but fewer than charges, and nothing says which is whose. returned_at, disputed_at: the last of these.
--   version_state: what its provider's own record says
--   fee           what is known of it: the whole, else what those of its parts come to that are given (fee_parts); null while
--                 nothing is known, which is not zero. Where its own record names none: what its settled lines took, else
--                 what the last event says, with the partner's fee beside it: whether that is a part is not documented
with leg as (
    select
        r.account_id, r.source_id, r.payment_id, r.transaction_id as about, 'refund' as part,
        r.amount, r.currency, r.state, r.money, false as is_paid_out, r.happened_at as at,
        null::numeric as fee, null as fee_currency
    from scope.refund as r
    where not r.is_test
    union all
    select
        d.account_id, d.source_id, d.payment_id, d.transaction_id, 'dispute',
        d.amount, d.currency, d.state, d.money, false, d.happened_at, null, null
    from scope.dispute as d
    where not d.is_test
    union all
    select
        l.account_id, l.source_id, l.payment_id, l.transaction_id, l.kind,
        l.transaction_amount, l.transaction_currency, l.state, null, l.is_paid_out, l.settled_at,
        -- A line shows as below zero what was taken.
        case when l.kind = 'charge' then -l.fee end,
        case when l.kind = 'charge' and l.fee is not null then l.currency end
    from scope.settlement_line as l
    where l.kind in ('charge', 'refund', 'chargeback', 'chargeback_reversal')
        and l.state in ('settled', 'settling')
        and not l.is_test
),

-- The charges that a leg may be about where it names none that is stored.
candidate as (
    select m.account_id, m.payment_id, m.source_id, t.transaction_id
    from (select distinct l.account_id, l.payment_id from leg as l) as l
    inner join scope.member as m
        on m.account_id = l.account_id and m.payment_id = l.payment_id and m.member = 'transaction'
    inner join scope.record as t
        on t.account_id = m.account_id
        and t.source_id = m.source_id
        and t.resource = 'transaction'
        and t.transaction_id = m.record_id
    where t.money in ('held', 'taken', 'delivered', 'returned', 'unknown')
        and not t.is_test
        -- What an authorization held is its capture's, and so are the lines.
        and not (
            t.money = 'held'
            and exists (
                select 1
                from scope.record as c
                where c.account_id = t.account_id
                    and c.source_id = t.source_id
                    and c.resource = 'transaction'
                    and c.parent_id = t.transaction_id
                    and c.money in ('held', 'taken', 'delivered', 'returned')
            )
        )
),

loose as (
    select l.*
    from leg as l
    left join scope.record as n
        on n.account_id = l.account_id
        and n.source_id = l.source_id
        and n.resource = 'transaction'
        and n.transaction_id = l.about
    where n.transaction_id is null
),

-- Both, each beside what its source and its payment have of the other. Counted in one pass and not joined: the planner
-- takes thousands of either for one, and would compare all with all.
beside as (
    select
        p.*,
        count(p.transaction_id) over of_source as charges,
        min(p.transaction_id) over of_source as own_id,
        count(p.transaction_id) over of_payment as all_charges,
        min(p.transaction_id) over of_payment as only_id,
        min(p.source_id) filter (where p.transaction_id is not null) over of_payment as only_source_id,
        count(*) filter (where p.part = 'charge') over of_source as lines,
        max(p.state) filter (where p.part = 'charge') over of_source as lines_state,
        bool_and(p.is_paid_out) filter (where p.part = 'charge') over of_source as are_paid_out,
        max(p.at) filter (where p.part = 'charge') over of_source as lines_at
    from (
        select
            l.account_id, l.source_id, l.payment_id, l.part, l.amount, l.currency, l.state, l.money, l.is_paid_out, l.at,
            l.fee, l.fee_currency, null as transaction_id
        from loose as l
        union all
        select
            c.account_id, c.source_id, c.payment_id, null, null, null, null, null, null, null, null, null,
            c.transaction_id
        from candidate as c
    ) as p
    window
        of_source as (partition by p.account_id, p.payment_id, p.source_id),
        of_payment as (partition by p.account_id, p.payment_id)
),

aimed as (
    select
        l.account_id, l.source_id, l.about as transaction_id, l.part, l.amount, l.currency, l.state, l.money,
        l.is_paid_out, l.at, l.fee, l.fee_currency
    from leg as l
    inner join scope.record as n
        on n.account_id = l.account_id
        and n.source_id = l.source_id
        and n.resource = 'transaction'
        and n.transaction_id = l.about
    union all
    -- The only charge of its own source, else of the whole payment.
    select
        b.account_id, case b.charges when 1 then b.source_id else b.only_source_id end,
        case b.charges when 1 then b.own_id else b.only_id end,
        b.part, b.amount, b.currency, b.state, b.money, b.is_paid_out, b.at, b.fee, b.fee_currency
    from beside as b
    where b.transaction_id is null and (b.charges = 1 or (b.charges = 0 and b.all_charges = 1))
    union all
    -- Charges that are told apart by nothing are all settled where each can have a line of its own, else nobody knows which.
    select
        b.account_id, b.source_id, b.transaction_id, case when b.lines >= b.charges then 'charge' else 'unclear' end, null,
        null, b.lines_state, null, b.are_paid_out, b.lines_at, null, null
    from beside as b
    where b.transaction_id is not null and b.charges > 1 and b.lines > 0
),

-- Amounts count where they are in the currency of the charge.
overlay as (
    select
        a.account_id,
        a.source_id,
        a.transaction_id,
        sum(a.amount) filter (where a.part = 'refund' and a.money = 'returned' and i.is_own) as refunded,
        -sum(a.amount) filter (where a.part = 'refund' and a.money is null and i.is_own) as refund_lines,
        sum(a.amount) filter (where a.part = 'dispute' and a.state = 'disputed' and i.is_own) as disputed,
        sum(a.amount) filter (where a.part = 'dispute' and a.money = 'returned' and i.is_own) as charged_back,
        -sum(a.amount) filter (where a.part in ('chargeback', 'chargeback_reversal') and i.is_own) as chargeback_lines,
        coalesce(bool_or(a.part = 'dispute'), false) as has_disputes,
        coalesce(bool_or(a.part = 'dispute' and a.state = 'disputed'), false) as is_disputed,
        coalesce(bool_or(a.part = 'charge' and a.state = 'settled'), false) as is_settled,
        coalesce(bool_or(a.part = 'charge'), false) as is_settling,
        abs(sum(a.amount) filter (where a.part = 'charge' and a.state = 'settled' and i.is_own)) as settled_amount,
        coalesce(bool_or(a.part = 'charge' and a.is_paid_out), false) as is_paid_out,
        coalesce(bool_or(a.part = 'unclear'), false) as is_unclear,
        sum(a.fee) filter (where a.part = 'charge' and a.state = 'settled') as fee,
        -- Fees of two currencies have no sum.
        case when min(a.fee_currency) = max(a.fee_currency) then min(a.fee_currency) end as fee_currency,
        min(a.at) filter (where a.part = 'charge' and a.state = 'settled') as settled_at,
        max(a.at) filter (where a.part = 'refund') as returned_at,
        max(a.at) filter (where a.part in ('dispute', 'chargeback', 'chargeback_reversal')) as disputed_at
    from aimed as a
    inner join scope.record as t
        on t.account_id = a.account_id
        and t.source_id = a.source_id
        and t.resource = 'transaction'
        and t.transaction_id = a.transaction_id
    cross join lateral (
        select coalesce(a.currency = t.charged_currency, true) as is_own
    ) as i
    group by a.account_id, a.source_id, a.transaction_id
),

-- Of sources whose events alone tell of fees: what the last one says, as its flags have it (`fee=3.95 EUR`).
told as (
    select distinct on (e.account_id, e.source_id, e.transaction_id)
        e.account_id, e.source_id, e.transaction_id, w.fee, w.partner_fee, w.currency
    from scope.source as s
    inner join tieout.webhook_event as e
        on e.account_id = s.account_id and e.source_id = s.source_id
    cross join lateral (
        select
            max(r.words[2]) filter (where r.words[1] = 'fee')::numeric as fee,
            max(r.words[2]) filter (where r.words[1] = 'partner_fee')::numeric as partner_fee,
            min(r.words[3]) as currency
        from unnest(e.flags) as u (flag)
        cross join lateral (
            select regexp_match(u.flag, '^(fee|partner_fee)=(-?[0-9]+(?:\.[0-9]+)?) ([^ ]+)$') as words
        ) as r
    ) as w
    where s.declaration -> 'fees_seen' ? 'event'
        and e.flags <> '{}'
        and not e.is_test
        and (e.verdict = 'valid' or (e.verdict = 'unsigned' and s.unsigned_counts))
        and w.fee is not null
    order by e.account_id, e.source_id, e.transaction_id, e.event_time desc nulls last, e.event_key desc
)

select
    t.account_id,
    t.source_id,
    t.resource,
    t.transaction_id,
    t.parent_id,
    t.payment_id,
    t.direction,
    t.kind,
    t.raw_status,
    case
        when o.transaction_id is null then t.state
        when w.is_disputed then 'disputed'
        when w.is_back then 'refunded'
        when o.is_settled and w.has_money and t.state in ('created', 'pending', 'authorized', 'paid', 'settling')
            then 'settled'
        when o.is_settling and w.has_money and t.state in ('created', 'pending', 'authorized', 'paid') then 'settling'
        else t.state
    end as state,
    t.state as version_state,
    t.state_rank,
    case
        when o.transaction_id is null then t.money
        when w.is_back then 'returned'
        when o.is_settled and t.direction = 'out' and t.money in ('held', 'taken') then 'delivered'
        else t.money
    end as money,
    t.is_final,
    t.taken_at,
    t.created_at,
    t.updated_at,
    t.version_time,
    t.provider,
    t.payment_method,
    t.country,
    t.charged,
    t.charged_currency,
    t.delivered,
    t.delivered_currency,
    w.returned,
    w.disputed,
    w.charged_back,
    t.fee_network,
    t.fee_provider,
    case when g.is_own then t.fee_partner when g.of_lines is null then e.partner_fee end as fee_partner,
    t.fee_other,
    t.fee_total,
    f.parts as fee_parts,
    case when g.is_own then coalesce(t.fee_total, f.parts) else coalesce(g.of_lines, e.fee) end as fee,
    case when g.is_own then t.fee_currency when g.of_lines is not null then o.fee_currency else e.currency end
        as fee_currency,
    t.customer_id,
    t.wallet_address,
    t.wallet_tag,
    t.segment,
    t.is_test,
    coalesce(o.is_settled, false) as is_settled,
    o.settled_amount,
    coalesce(o.is_paid_out, false) as is_paid_out,
    coalesce(o.is_unclear, false) as is_unclear,
    o.settled_at,
    o.returned_at,
    o.disputed_at,
    t.refs,
    t.flags,
    t.observed_at,
    t.run_id
from scope.reported as t
left join overlay as o
    on o.account_id = t.account_id
    and o.source_id = t.source_id
    -- A second view is about the same money.
    and o.transaction_id = case t.resource when 'transaction' then t.transaction_id else t.parent_id end
cross join lateral (
    select
        greatest(t.returned, o.refunded, o.refund_lines) as returned,
        greatest(t.disputed, o.disputed, case when not o.has_disputes then nullif(o.chargeback_lines, 0) end)
            as disputed,
        greatest(o.charged_back, case when not o.has_disputes then o.chargeback_lines end) as charged_back,
        o.is_disputed or (not o.has_disputes and o.chargeback_lines > 0) as is_disputed,
        t.money in ('held', 'taken', 'delivered') as has_money
) as v
cross join lateral (
    select
        v.*,
        v.has_money and t.charged > 0
        and coalesce(v.returned, 0) + coalesce(v.charged_back, 0) >= t.charged as is_back
) as w
cross join lateral (
    select case when coalesce(t.fee_network, t.fee_provider, t.fee_partner, t.fee_other) is not null then
        coalesce(t.fee_network, 0) + coalesce(t.fee_provider, 0) + coalesce(t.fee_partner, 0) + coalesce(t.fee_other, 0)
    end as parts
) as f
left join told as e
    on e.account_id = t.account_id
    and e.source_id = t.source_id
    and t.resource = 'transaction'
    and e.transaction_id = t.transaction_id
cross join lateral (
    select
        coalesce(t.fee_total, f.parts) is not null as is_own,
        case when o.fee_currency is not null then o.fee end as of_lines
) as g
