/// The private server's configuration files. An operator may change `tieout.conf`; it is written once.
enum ClusterSettings {
    /// Included at the end of `postgresql.conf`.
    static let server = """
        # Written by tieout when it made this cluster, and never again: change it as you like, then restart.

        # Reached over a Unix socket in a private directory only.
        listen_addresses = ''
        port = 5432
        unix_socket_permissions = 0700
        max_connections = 50

        # One nightly job with large loads and large joins.
        shared_buffers = 256MB
        work_mem = 64MB
        maintenance_work_mem = 256MB
        effective_cache_size = 1GB
        random_page_cost = 1.1
        jit = off
        # Parallel joins need more than the 64 MB that containers give to /dev/shm.
        dynamic_shared_memory_type = sysv

        # Durable, with few checkpoints. Nobody replicates from here.
        wal_level = minimal
        max_wal_senders = 0
        max_wal_size = 4GB
        checkpoint_timeout = 15min
        wal_compression = on

        # The same words and days everywhere.
        timezone = 'UTC'
        log_timezone = 'UTC'
        datestyle = 'ISO, YMD'
        lc_messages = 'C'

        # The log holds no statement and no value of data.
        log_min_messages = warning
        log_min_error_statement = panic
        log_error_verbosity = terse
        log_parameter_max_length = 0
        log_parameter_max_length_on_error = 0
        log_checkpoints = off
        """

    /// Who may connect: through the socket, as the operating system knows them.
    static let access = """
        # Written by tieout: the socket only, by the operating-system user, see pg_ident.conf.
        local all all peer map=tieout
        """

    /// The owner of the cluster and root are the role tieout.
    static func identities(owner: String) -> String {
        """
        # Written by tieout: map, operating-system user, role.
        tieout "\(owner)" tieout
        tieout root tieout
        """
    }
}
