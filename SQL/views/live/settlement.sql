-- One row: one charge of a source that settles to the merchant, where it is to be settled or lines say that it was; or one
-- settled line of a charge in whose payment nothing was charged (stray).
--   charged, settled   what the provider and what the lines say, in the currency of the charge; settled null: in another one
--   is_settled, is_paid_out, is_expected   its lines are settled; they are in a payout; a payout is to have it
--   due_at, term       by when; null where no term says so
--   difference         charged - settled, none where they are not in one currency
--   verdict            whose matter it is: agree, or
--     settlement_missing   in no payout, or its lines are of another amount
--     provider_missing     stray
--     awaiting             in a payout, by a line that is not settled yet
--     ambiguous            its payment has fewer lines than charges, or they name one that has no money, and another has
--     not_evaluated        nobody says how much it was, what became of it, or by when a payout is to have it
with charge as (
    select
        t.account_id,
        t.source_id,
        t.payment_id,
        t.direction,
        'transaction:' || t.source_id || '/' || t.transaction_id as subject,
        coalesce(t.taken_at, t.created_at) as at,
        t.money,
        t.charged,
        t.charged_currency as currency,
        t.settled_amount as settled,
        t.is_settled,
        t.is_paid_out,
        t.is_unclear,
        t.money = 'taken'
        and t.state not in ('failed', 'declined', 'cancelled', 'expired', 'refunded')
        and t.charged is distinct from 0 as is_expected,
        d.due_at,
        d.term,
        case
            when not t.is_settled then t.charged
            when t.settled_amount is null then 0
            else t.charged - t.settled_amount
        end as difference
    from scope.charge as t
    inner join scope.source as s
        on s.account_id = t.account_id and s.source_id = t.source_id and s.settles_to = 'merchant'
    left join scope.due as d
        on d.account_id = t.account_id
        and d.source_id = t.source_id
        and d.resource = t.resource
        and d.transaction_id = t.transaction_id
    where t.resource = 'transaction' and t.direction = 'in'
)

select
    c.account_id,
    c.source_id,
    c.payment_id,
    c.direction,
    c.subject,
    c.at,
    c.money,
    1 as charges,
    c.charged,
    c.currency,
    c.settled,
    c.is_settled,
    c.is_paid_out,
    c.is_expected,
    c.due_at,
    c.term,
    c.difference,
    case
        when c.is_unclear or c.money = 'none' then 'ambiguous'
        when c.charged is null then 'not_evaluated'
        when c.money = 'unknown' then case c.difference when 0 then 'agree' else 'not_evaluated' end
        when c.settled <> c.charged then 'settlement_missing'
        when c.is_expected and not c.is_paid_out then
            case when c.charged > 0 and c.due_at is not null then 'settlement_missing' else 'not_evaluated' end
        when not c.is_settled then 'awaiting'
        else 'agree'
    end as verdict
from charge as c
where c.is_expected
    or (
        c.is_settled
        and (
            c.money <> 'none'
            -- Else its lines are stray.
            or exists (
                select 1
                from scope.transaction as o
                where o.account_id = c.account_id and o.payment_id = c.payment_id and o.money <> 'none'
            )
        )
    )
union all
select
    l.account_id,
    l.source_id,
    l.payment_id,
    l.direction,
    l.subject,
    coalesce(l.settled_at, l.observed_at),
    'none',
    0,
    0::numeric,
    coalesce(l.transaction_currency, l.currency),
    coalesce(l.transaction_amount, l.gross),
    true,
    l.is_paid_out,
    false,
    null,
    null,
    -coalesce(l.transaction_amount, l.gross, 0),
    'provider_missing'
from scope.settlement_line as l
where l.kind = 'charge'
    and l.state = 'settled'
    and l.direction = 'in'
    and not l.is_test
    and not exists (
        select 1
        from scope.transaction as t
        where t.account_id = l.account_id and t.payment_id = l.payment_id and t.money <> 'none'
    )
