-- One row removed: one thing that a payment which linking looked at has no more; {limit} leaves out the others.
delete from tieout.payment_key as k
where k.account_id = $1 {limit}
    and not exists (
        select 1
        from link_key as l
        where l.key = k.key and l.payment_id = k.payment_id and l.spreads = k.spreads
    )
