-- One row: whether transactions of the source wait to be put in order. $1 account, $2 source.
select exists (
    select 1
    from tieout.webhook_unordered t
    where t.account_id = $1 and t.source_id = $2
) as has_unordered
