-- One row (of webhook_delivery): one delivery, or one event as the provider's own list of past events shows it.

-- Fetched from the provider's list with the source's credentials, and not delivered: it carries no signature, its digests
-- are over what does not change from one reading of the list to the next, and it is never out of order.
alter table tieout.webhook_delivery add column is_fetched boolean not null default false;
