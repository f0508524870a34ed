-- rule: destination_tag_missing
-- title: Destination tag is missing
-- severity: high
-- grain: payment
-- needs: provider
-- proves: presence
-- why: Coins of this kind go to a shared address, where only the tag says whose they are; without it they may be lost.
-- fix: Tell the wallet's owner the transaction and the amount at once; make the tag a field that cannot be left out.

-- One row: one purchase of a coin that needs a destination tag or memo (SQL/reference/tag_assets.csv), with money held, taken
-- or delivered, that carries none. A tag is a text: leading zeros count, nothing but zeros is none, nor is a blank. An
-- address that holds the tag within it needs no other. What the book says was asked for counts only where the provider
-- does not show tags at all.
with purchase as (
    select
        t.account_id,
        t.source_id,
        t.resource,
        t.transaction_id,
        t.payment_id,
        t.raw_status,
        t.charged,
        t.charged_currency,
        t.returned,
        t.delivered_currency,
        t.wallet_address,
        t.wallet_tag,
        coalesce((s.declaration ->> 'shows_tags')::boolean, false) as shows_tags,
        upper(split_part(t.delivered_currency, '_', 1)) as asset,
        -- The network of a code such as BNB_BEP2, else what the mapping noticed, else the coin's own.
        coalesce(
            nullif(upper(split_part(t.delivered_currency, '_', 2)), ''),
            (select min(upper(substr(f.flag, 9))) from unnest(t.flags) as f (flag) where f.flag like 'network=%'),
            ''
        ) as network
    from scope.charge as t
    inner join scope.source as s
        on s.account_id = t.account_id and s.source_id = t.source_id
    where t.direction = 'in'
        and t.money in ('held', 'taken', 'delivered')
),

-- Nearly all go to coins that need none.
tagged as (
    select p.*
    from purchase as p
    inner join scope.tag_asset as a
        on a.asset = p.asset and a.network = p.network
    where coalesce(p.charged > p.returned, true)
),

booked as (
    select
        t.account_id,
        t.source_id,
        t.resource,
        t.transaction_id,
        min(nullif(btrim(o.wallet_tag), '')) as wallet_tag,
        min(o.wallet_address) as wallet_address
    from tagged as t
    inner join scope.book_order as o
        on o.account_id = t.account_id and o.payment_id = t.payment_id
    group by t.account_id, t.source_id, t.resource, t.transaction_id
    having count(*) = 1
)

select
    t.account_id,
    t.source_id,
    t.payment_id,
    'transaction:' || t.source_id || '/' || case t.resource when 'transaction' then '' else t.resource || '/' end
    || t.transaction_id as subject,
    'high' as severity,
    0::numeric as difference,
    greatest(coalesce(t.charged, 0) - coalesce(t.returned, 0), 0) as at_risk,
    t.charged_currency as currency,
    null::timestamptz as due_at,
    jsonb_build_array(
        jsonb_build_object(
            'field', 'destination tag', 'a', b.wallet_tag, 'b', t.wallet_tag, 'a_from', 'book', 'b_from', 'provider'
        ),
        jsonb_build_object(
            'field', 'coin', 'a', null, 'b', t.delivered_currency || ', ' || t.raw_status, 'a_from', 'book', 'b_from', 'provider'
        )
    ) as fields
from tagged as t
left join booked as b
    on b.account_id = t.account_id
    and b.source_id = t.source_id
    and b.resource = t.resource
    and b.transaction_id = t.transaction_id
cross join lateral (
    select
        coalesce(lower(btrim(t.wallet_tag)), '') !~ '^(0*|0x0*|null|nil|none|undefined|n/a|-)$' as is_tagged,
        coalesce(lower(btrim(b.wallet_tag)), '') !~ '^(0*|0x0*|null|nil|none|undefined|n/a|-)$' as is_booked,
        -- With the tag behind the address, or within it: XRP's X-addresses, Stellar's M-addresses.
        coalesce(
            coalesce(t.wallet_address, b.wallet_address) ~* '[?&](dt|tag|memo|memo_id|memoid)=[^&]+'
            or coalesce(t.wallet_address, b.wallet_address) ~ '^[^:]+:[0-9]+$'
            or coalesce(t.wallet_address, b.wallet_address) ~ '^X[1-9A-HJ-NP-Za-km-z]{46}$'
            or coalesce(t.wallet_address, b.wallet_address) ~ '^M[A-Z2-7]{68}$',
            false
        ) as is_within
) as w
where not w.is_tagged and not w.is_within and (t.shows_tags or not w.is_booked)
