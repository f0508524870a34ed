-- One row: one record that only an older version of the file lists: a newer one has dropped it already.
update {fates} set fate = 'late' where fate = 'new'
