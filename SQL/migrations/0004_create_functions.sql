-- What the audit trail's chain is computed with, and how amounts are printed. Immutable, read no table: they run wherever
-- the rows are.

-- One value of a digest's input, length-prefixed so that no two rows of values read alike; '-' where there is none.
create function tieout.prefixed(value text) returns text
    language sql immutable parallel safe
    return case when value is null then '-' else octet_length(value)::text || ':' || value end;

-- A moment as text that no session setting changes: microseconds since 1970-01-01T00:00:00Z.
create function tieout.moment(value timestamptz) returns text
    language sql immutable parallel safe
    return (extract(epoch from value) * 1000000)::bigint::text;

-- The first value starts the chain as it is (the head's digest); each later one is hashed behind the state.
create function tieout.chain_step(state bytea, value bytea) returns bytea
    language sql immutable parallel safe
    return case when state is null then value else sha256(state || value) end;

-- chain(value order by …), or over (order by …) for each row's own digest.
create aggregate tieout.chain(bytea) (sfunc = tieout.chain_step, stype = bytea);

-- An amount as people read it: with its currency's own digits behind the point, all of its digits where it has more or
-- where the currency's digits are unknown.
create function tieout.printed(amount numeric, exponent int) returns text
    language sql immutable parallel safe
    return case
        when exponent is null or scale(trim_scale(amount)) > exponent then trim_scale(amount)::text
        else round(amount, exponent)::text
    end;
