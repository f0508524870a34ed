import FoundationEssentials
import Glibc
import Synchronization

/// The private PostgreSQL cluster that Tieout runs where no database is configured: database and role `tieout`, over a
/// Unix socket, for its owner and root. Whoever uses it holds a `Lease`; the first one starts it, the last one stops it.
package struct EmbeddedCluster: Sendable {
    /// A share in the running cluster. The kernel takes it back when the process dies.
    package final class Lease: Sendable {
        /// For `Connection`.
        package let conninfo: String
        private let cluster: EmbeddedCluster
        private let users: FileLock
        private let isReleased = Atomic(false)

        fileprivate init(cluster: EmbeddedCluster, users: FileLock) {
            self.cluster = cluster
            self.users = users
            conninfo = cluster.conninfo
        }

        deinit { release() }

        /// Gives the share back and stops the cluster where it was the last one. May be called twice; also done by
        /// deinit. A server that cannot be stopped keeps running, and the next user finds it.
        package func release() {
            if isReleased.exchange(true, ordering: .relaxed) { return }
            try? cluster.leave(users)
        }
    }

    /// How the cluster stands.
    package struct Status: Sendable, Hashable {
        package let stateDirectory: String
        package let isMade: Bool
        /// Process number of the running server.
        package let process: Int?
        /// It stays up when nobody uses it, after `start`.
        package let isKept: Bool
        /// PostgreSQL's major version.
        package let version: Int?
        package let logFile: String
    }

    package let stateDirectory: String
    private let layout: ClusterLayout
    private let path: String

    /// `stateDirectory` nil: `/var/lib/tieout` as root, else `$XDG_STATE_HOME/tieout`. Touches nothing yet.
    package init(
        stateDirectory: String? = nil, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(ClusterError) {
        if let stateDirectory {
            self.stateDirectory = stateDirectory
        } else {
            self.stateDirectory = try ClusterLayout.defaultState(environment)
        }
        layout = ClusterLayout(state: self.stateDirectory, environment: environment)
        path = environment["PATH"] ?? ""
    }

    /// For `Connection`, while the cluster runs.
    package var conninfo: String { ClusterServer.conninfo(layout, "tieout") }

    /// Takes a share, making and starting the cluster first where needed.
    package func acquire() throws(ClusterError) -> Lease {
        let (server, lock) = try locked()
        defer { lock.unlock() }
        try server.bringUp()
        let users = try FileLock(layout.usersLock, owner: server.owner)
        // Does not wait: it is held exclusively only by a holder of the start lock.
        try users.shared()
        return Lease(cluster: self, users: users)
    }

    /// Makes and starts the cluster, to run until `stop`.
    package func start() throws(ClusterError) {
        let (server, lock) = try locked()
        defer { lock.unlock() }
        try server.bringUp()
        try ClusterLayout.write("kept running by tieout db start", to: layout.keepMark, owner: server.owner)
    }

    /// Ends what `start` began. Where somebody still uses the cluster it stops with the last of them; the answer is then
    /// false.
    @discardableResult
    package func stop() throws(ClusterError) -> Bool {
        guard layout.isMade else { return true }
        let (server, lock) = try locked()
        defer { lock.unlock() }
        unlink(layout.keepMark)
        return try stopIfUnused(server)
    }

    /// Changes nothing and waits for nobody.
    package func status() -> Status {
        Status(
            stateDirectory: stateDirectory, isMade: layout.isMade,
            process: ClusterServer.postmaster(of: layout).map { Int($0) }, isKept: isKept,
            version: layout.dataVersion, logFile: layout.log)
    }

    private var isKept: Bool { access(layout.keepMark, F_OK) == 0 }

    /// The server, under the start lock.
    private func locked() throws(ClusterError) -> (ClusterServer, FileLock) {
        let owner = try ClusterOwner.choose(dataDirectory: layout.data)
        try layout.prepare(for: owner)
        let lock = try FileLock(layout.startLock, owner: owner)
        try lock.exclusive()
        let binaries = try ServerBinaries.find(major: layout.dataVersion, path: path)
        return (ClusterServer(layout: layout, owner: owner, binaries: binaries), lock)
    }

    private func leave(_ users: FileLock) throws(ClusterError) {
        let (server, lock) = try locked()
        defer { lock.unlock() }
        users.unlock()
        if !isKept { try stopIfUnused(server) }
    }

    /// Only who gets the users' lock exclusively stops the server.
    @discardableResult
    private func stopIfUnused(_ server: ClusterServer) throws(ClusterError) -> Bool {
        let probe = try FileLock(layout.usersLock, owner: server.owner)
        guard probe.tryExclusive() else { return false }
        try server.stop()
        return true
    }
}
