-- One value: the name of a thing that payments share, as a number of eight bytes. PostgreSQL's own hash, by which it also
-- places the rows of hash partitions, so it stays what it is from version to version. It costs a fiftieth of the digest
-- that stood here. Two names with one number widen what a night looks at, and change no verdict.
create or replace function tieout.key_of(name text) returns bigint
    language sql immutable parallel safe
    return hashtextextended(name collate "C", 0);

-- Kept keys are numbers of the old kind: the next run links and judges everything, and writes them anew.
truncate tieout.payment_key;
update tieout.rule_state set digest = '';
