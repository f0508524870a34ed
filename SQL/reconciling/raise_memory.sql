-- One row: the memory of a sort or a hash until the transaction ends; none where the server gives as much already.
select set_config('work_mem', '64MB', true) as work_mem
where pg_size_bytes(current_setting('work_mem')) < pg_size_bytes('64MB')
