-- One row removed: one line of a file in scope that its provider shows too, in whichever payment: the provider's copy takes its
-- place. $1 account, once what belongs together is linked.
delete from near_settlement_line as l
using tieout.transaction as t
where t.account_id = $1
    and t.source_id = l.source_id
    and t.resource = 'settlement_line'
    and t.transaction_id = l.line_id
