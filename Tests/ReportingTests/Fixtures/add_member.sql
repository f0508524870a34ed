-- One row put in or changed: the payment $2 of transaction $1.
insert into tieout.payment_member (account_id, member, source_id, record_id, payment_id)
values (1, 'transaction', 'meld-live', $1, $2)
on conflict (account_id, member, source_id, record_id) do update set payment_id = excluded.payment_id
