-- Built after the bulk load.
create unique index on link_label (node);
analyze link_label;
analyze link_edge;
