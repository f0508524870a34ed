import Glibc

/// The private server's configuration files. An operator may change `tieout.conf`; it is written once.
struct ClusterSettings {
    /// Megabytes that the machine, or the container we are in, has.
    let memory: Int
    /// How the server shrinks pages that it writes to its log whole. Its own way costs two fifths of all CPU of a first
    /// load of two million events; LZ4 hardly any, but a server may be built without.
    let compression: String

    /// An eighth of the memory, 128 MB to 2 GB: an index that is filled in random order fits into it, and what else lives
    /// on the machine keeps its own.
    var sharedBuffers: Int { min(max(memory / 8, 128), 2048) }

    /// Included at the end of `postgresql.conf`.
    var server: String {
        """
        # Written by tieout when it made this cluster, and never again: change it as you like, then restart.

        # Reached over a Unix socket in a private directory only.
        listen_addresses = ''
        port = 5432
        unix_socket_permissions = 0700
        max_connections = 50

        # One nightly job with large loads and large joins.
        shared_buffers = \(sharedBuffers)MB
        work_mem = 64MB
        maintenance_work_mem = 256MB
        effective_cache_size = \(max(memory / 2, 256))MB
        random_page_cost = 1.1
        jit = off
        # Parallel joins need more than the 64 MB that containers give to /dev/shm.
        dynamic_shared_memory_type = sysv

        # Durable, with few checkpoints. Nobody replicates from here.
        wal_level = minimal
        max_wal_senders = 0
        max_wal_size = 4GB
        checkpoint_timeout = 15min
        wal_compression = \(compression)

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
    }

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

    /// Megabytes of memory: the machine's, or what a container may use of it.
    static func memory(limitFile: String = "/sys/fs/cgroup/memory.max") -> Int {
        let machine = sysconf(Int32(_SC_PHYS_PAGES)) / 1024 * sysconf(Int32(_SC_PAGESIZE)) / 1024
        // "max" where there is no limit.
        guard let limit = ClusterLayout.read(limitFile).flatMap({ Int($0) }) else { return machine }
        return min(machine, limit / 1_048_576)
    }
}
