-- One row: one transaction that counts: no test data, and no other row stands for it already (scope.second_view).
select t.*
from scope.transaction as t
left join scope.second_view as p
    on p.account_id = t.account_id
    and p.source_id = t.source_id
    and p.resource = t.resource
    and p.transaction_id = t.transaction_id
where not t.is_test and p.transaction_id is null
