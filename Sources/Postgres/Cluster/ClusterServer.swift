import FoundationEssentials
import Glibc

/// Makes, starts and stops the server. Whoever calls holds the start lock.
struct ClusterServer {
    let layout: ClusterLayout
    let owner: ClusterOwner
    let binaries: ServerBinaries

    /// The running postmaster, nil where there is none.
    var postmaster: pid_t? { Self.postmaster(of: layout) }

    static func postmaster(of layout: ClusterLayout) -> pid_t? {
        guard let process = ClusterLayout.read("\(layout.data)/postmaster.pid").flatMap({ pid_t($0) }), process > 0,
            ProcessTable.stands(process, in: layout.data)
        else { return nil }
        return process
    }

    /// Brings the server up from whatever state it is in; does nothing where it runs.
    func bringUp() throws(ClusterError) {
        if !layout.isMade { try make() }
        if postmaster != nil {
            if let directory = layout.socketDirectory, access("\(directory)/\(ClusterLayout.socketName)", F_OK) == 0 {
                return try awaitReady()
            }
            // Its runtime directory was taken away: nobody can reach it any more.
            try stop()
        }
        try start()
        try awaitReady()
    }

    func stop() throws(ClusterError) {
        guard postmaster != nil else { return }
        try ChildProcess.run(
            owner.prefix + [binaries.path("pg_ctl"), "-D", layout.data, "-m", "fast", "-w", "-t", "300", "stop"])
        if let directory = layout.socketDirectory, directory.hasPrefix("/tmp/tieout-") { rmdir(directory) }
    }

    /// A new data directory appears whole or not at all.
    private func make() throws(ClusterError) {
        try? FileManager.default.removeItem(atPath: layout.draft)
        try owner.makeDirectory(layout.draft)
        try ChildProcess.run(
            owner.prefix + [
                binaries.path("initdb"), "-D", layout.draft, "-U", "tieout", "-A", "peer", "-E", "UTF8",
                "--locale=C.UTF-8", "--data-checksums",
            ])
        let main = "\(layout.draft)/postgresql.conf"
        guard let defaults = try? String(contentsOfFile: main, encoding: .utf8) else {
            throw ClusterError("initdb left no \(main)")
        }
        let settings = ClusterSettings(memory: ClusterSettings.memory(), compression: compression())
        let files = [
            ("postgresql.conf", defaults + "\ninclude 'tieout.conf'"), ("tieout.conf", settings.server),
            ("pg_hba.conf", ClusterSettings.access), ("pg_ident.conf", ClusterSettings.identities(owner: owner.name)),
        ]
        for (name, text) in files { try ClusterLayout.write(text, to: "\(layout.draft)/\(name)", owner: owner) }
        if rename(layout.draft, layout.data) != 0 {
            throw ClusterError("cannot name the new cluster \(layout.data) (errno \(errno))")
        }
    }

    /// What this server was built with: asked for by name, it refuses what it lacks.
    private func compression() -> String {
        let question = [
            binaries.path("postgres"), "-D", layout.draft, "-C", "wal_compression", "-c", "wal_compression=lz4",
        ]
        return (try? ChildProcess.run(owner.prefix + question)) == nil ? "on" : "lz4"
    }

    private func start() throws(ClusterError) {
        try endOrphans()
        let socket = try layout.chooseSocketDirectory(for: owner)
        try prepareLog()
        let command =
            owner.prefix + [
                binaries.path("pg_ctl"), "-D", layout.data, "-l", layout.log, "-o", "-k \(Self.shellQuoted(socket))",
                "-w", "-t", "600", "start",
            ]
        for attempt in 1... {
            do throws(ClusterError) {
                try ChildProcess.run(command)
                return
            } catch {
                let log = (try? String(contentsOfFile: layout.log, encoding: .utf8)) ?? ""
                let tail = log.split(separator: "\n").suffix(3).joined(separator: "; ")
                // The server's own safeguard: a process of its forerunner, which we could not see, is still ending.
                guard tail.contains("still in use"), attempt < 40 else {
                    throw ClusterError(
                        "the server did not start, see \(layout.log): \(tail.isEmpty ? "\(error)" : tail)")
                }
                usleep(250_000)
            }
        }
    }

    /// After an unclean end: processes that outlived their postmaster would write beside a new one, so they end first.
    private func endOrphans() throws(ClusterError) {
        for round in 0..<200 {
            let orphans = ProcessTable.standing(in: layout.data)
            if orphans.isEmpty { return removeForeignMark() }
            for orphan in orphans { kill(orphan, round < 100 ? SIGTERM : SIGQUIT) }
            usleep(50_000)
        }
        throw ClusterError("processes of a server that died still run in \(layout.data); end them first")
    }

    /// A process number that now belongs to somebody else must not keep the server from starting. Where the number
    /// belongs to nobody the server itself knows what to do with the file.
    private func removeForeignMark() {
        let mark = "\(layout.data)/postmaster.pid"
        guard let process = ClusterLayout.read(mark).flatMap({ pid_t($0) }), process > 0, kill(process, 0) == 0 else {
            return
        }
        unlink(mark)
    }

    /// The server appends as its own user. A large log is set aside once.
    private func prepareLog() throws(ClusterError) {
        var information = stat()
        if stat(layout.log, &information) == 0 {
            if information.st_size > 10_000_000 { rename(layout.log, layout.log + ".1") } else { return }
        }
        try ClusterLayout.write("", to: layout.log, owner: owner)
    }

    /// Waits for recovery to end, and makes the database where it is missing.
    private func awaitReady() throws(ClusterError) {
        for _ in 0..<600 {
            do throws(PostgresError) {
                let connection = try Connection(Self.conninfo(layout, "postgres"), applicationName: "tieout")
                let missing = "select not exists (select from pg_database where datname = 'tieout')"
                if try connection.query(missing).only().bool(0) {
                    try connection.execute("create database tieout template template0")
                }
                return
            } catch {
                guard error.isTransient, postmaster != nil else {
                    throw ClusterError("the server runs but cannot be used: \(error)")
                }
                usleep(100_000)
            }
        }
        throw ClusterError("the server is still recovering, see \(layout.log)")
    }

    /// `host='/var/lib/tieout/run' port=5432 user=tieout dbname=…`.
    static func conninfo(_ layout: ClusterLayout, _ database: String) -> String {
        let directory = layout.socketDirectory ?? "\(layout.state)/run"
        let escaped = directory.split(separator: "", omittingEmptySubsequences: true).map {
            $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0)
        }
        return "host='\(escaped.joined())' port=5432 user=tieout dbname=\(database)"
    }

    /// `pg_ctl -o` goes through a shell.
    private static func shellQuoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
