-- One row: one coin that needs a destination tag or memo, on one network ('' where its code names none).
create table tieout.tag_asset (
    asset text collate "C" not null,               -- the code in capitals, without its network
    network text collate "C" not null,
    why text not null,
    primary key (asset, network)
);

-- One row: what one kind of charge should cost. A null column fits any; the most specific row wins.
create table tieout.fee_schedule (
    name text collate "C" not null primary key,    -- how breaks call it
    source_id text collate "C",
    provider text collate "C",                     -- who carries it out, as the source calls it
    payment_method text collate "C",
    direction text collate "C" check (direction in ('in', 'out')),
    currency text collate "C",                     -- of the charge; fixed, minimum, maximum and tolerance are in it
    percent numeric not null default 0,            -- of what was charged
    fixed numeric not null default 0,
    minimum numeric,
    maximum numeric,
    tolerance numeric not null default 0.01
);
