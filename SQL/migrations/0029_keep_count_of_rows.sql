-- One row (of resource_state): one resource of one source, and now also how many rows of it are held.

-- Kept in the transaction that adds rows; null: not known, the next poll counts them once.
alter table tieout.resource_state add column records bigint;
