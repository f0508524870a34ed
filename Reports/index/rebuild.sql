-- One row: one break as it stood with the reported run; read many times, so rebuilt once.
create temporary table tieout_report_break on commit drop as
select * from {breaks_as_of} b
