-- Finds the few events whose deliveries brought different bodies.
create index webhook_event_changed on tieout.webhook_event (account_id, source_id)
    where flags @> array['body_changed'] collate "C";
