-- One row: the digest that an account's trail starts from.
select sha256(convert_to('tieout audit trail of account ' || $1::bigint, 'UTF8')) as digest
