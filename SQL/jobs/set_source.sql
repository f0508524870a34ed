-- One row: the source as the configuration and its provider describe it.
-- $1 account, $2 source, $3 provider, $4 environment, $5 life, $6 succeeds, $7 beneath, $8 settles_to, $9 declaration, $10 ledger time
-- now, which is noted where its life is another than before.
insert into tieout.source as kept
    (account_id, source_id, provider, environment, life, succeeds, beneath, settles_to, declaration, life_since)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb, $10)
on conflict (account_id, source_id) do update
set provider = excluded.provider,
    environment = excluded.environment,
    life = excluded.life,
    succeeds = excluded.succeeds,
    beneath = excluded.beneath,
    settles_to = excluded.settles_to,
    declaration = excluded.declaration,
    life_since = case kept.life when excluded.life then kept.life_since else excluded.life_since end
where row (kept.provider, kept.environment, kept.life, kept.succeeds, kept.beneath, kept.settles_to, kept.declaration)
    is distinct from row (excluded.provider, excluded.environment, excluded.life, excluded.succeeds,
        excluded.beneath, excluded.settles_to, excluded.declaration)
