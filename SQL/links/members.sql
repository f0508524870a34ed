-- One row put in: one record's membership. payment_id: the first 63 bits of SHA-256 over kind, source and id of the
-- component's smallest record. Events that are no evidence or carry no reference belong to no payment.
insert into link_member (account_id, member, source_id, record_id, payment_id)
with component as (
    select
        n.node,
        (
            (
                'x' || left(
                    encode(sha256(convert_to(n.member || chr(10) || n.source_id || chr(10) || n.record_id, 'UTF8')), 'hex'),
                    16
                )
            )::bit(64) >> 1
        )::bigint as payment_id
    from link_node as n
    inner join link_label as l on l.node = n.node
    where l.label = l.node
)

select $1::bigint, n.member, n.source_id, n.record_id, c.payment_id
from link_node as n
inner join link_label as l on l.node = n.node
inner join component as c on c.node = l.label
where n.member <> 'event'
union all
select $1::bigint, n.member, e.source_id, e.event_key, c.payment_id
from tieout.webhook_event as e
left join tieout.source as s
    on s.account_id = e.account_id and s.source_id = e.source_id
inner join link_node as n
    on n.member = 'event' and n.source_id = e.source_id and n.refs = e.refs
inner join link_label as l on l.node = n.node
inner join component as c on c.node = l.label
where e.account_id = $1
    and (e.verdict = 'valid' or (e.verdict = 'unsigned' and s.declaration ->> 'signature' = 'none'))
