-- The working tables of linking, gone at commit. A node is one record, or one set of references that events of a source
-- share; nodes count up in the order of (kind, source, id), so the smallest label of a component is its smallest record.

-- One row: one node.
create temporary table link_node (
    node bigint not null,
    member text collate "C" not null,              -- transaction | order | event | line
    source_id text collate "C" not null,
    record_id text collate "C" not null,
    resource text collate "C" not null,            -- of a transaction; '' else
    refs text[] not null
) on commit drop;

-- One row: one reference that one node carries, in its identity space.
create temporary table link_claim (
    node bigint not null,
    member text collate "C" not null,
    source_id text collate "C" not null,
    resource text collate "C" not null,
    ref text collate "C" not null
) on commit drop;

-- One row: two nodes that belong together. Each round joins the nodes that earlier rounds have left: the smallest nodes
-- of what is joined already.
create temporary table link_edge (
    round bigint not null,
    node bigint not null,
    smaller bigint not null
) on commit drop;

-- One row: one node and the smallest node known to belong with it, in the end that of its whole component. Narrow, since
-- the iteration rewrites it.
create temporary table link_label (
    node bigint not null,
    label bigint not null
) on commit drop;

-- One row: one record's membership, as linking found it.
create temporary table link_member (
    account_id bigint not null,
    member text collate "C" not null,
    source_id text collate "C" not null,
    record_id text collate "C" not null,
    payment_id bigint not null
) on commit drop;

-- One row: one record's membership, as an earlier run left it.
create temporary table link_known (
    member text collate "C" not null,
    source_id text collate "C" not null,
    record_id text collate "C" not null,
    payment_id bigint not null
) on commit drop;

-- One row: one reference that a payment which is not looked at holds too.
create temporary table link_blocked (
    ref text collate "C" not null
) on commit drop;

-- One row: one thing that payments can share, and a payment that has it.
create temporary table link_key (
    key bigint not null,
    payment_id bigint not null,
    spreads boolean not null
) on commit drop;
