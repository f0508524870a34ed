import FoundationEssentials
import Glibc

/// What lies where in the state directory.
struct ClusterLayout: Sendable {
    /// PostgreSQL's socket has this name, whose length counts against the 107 bytes a socket's path may have.
    static let socketName = ".s.PGSQL.5432"
    static let longestSocketPath = 100

    let state: String
    /// Preferred place of the socket, where systemd gives one.
    let runtime: String?

    init(state: String, environment: [String: String]) {
        self.state = state.count > 1 && state.hasSuffix("/") ? String(state.dropLast()) : state
        runtime = environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first.map { String($0) }
    }

    var data: String { "\(state)/data" }
    /// Data being made: it becomes `data` when it is complete.
    var draft: String { "\(state)/data.new" }
    var log: String { "\(state)/server.log" }
    /// Exclusive while somebody makes, starts or stops the cluster.
    var startLock: String { "\(state)/start.lock" }
    /// Shared by everybody who uses the cluster.
    var usersLock: String { "\(state)/users.lock" }
    /// Its presence says that the cluster stays up when nobody uses it.
    var keepMark: String { "\(state)/keep" }
    /// Holds the directory of the socket.
    var socketRecord: String { "\(state)/socket" }

    var isMade: Bool { FileManager.default.fileExists(atPath: "\(data)/PG_VERSION") }

    /// The major version that made the data.
    var dataVersion: Int? { Self.read("\(data)/PG_VERSION").flatMap { Int($0) } }

    var socketDirectory: String? { Self.read(socketRecord) }

    /// `/var/lib/tieout` as root, else `$XDG_STATE_HOME/tieout`, by default below the home directory.
    static func defaultState(_ environment: [String: String]) throws(ClusterError) -> String {
        if getuid() == 0 { return "/var/lib/tieout" }
        if let base = environment["XDG_STATE_HOME"], base.hasPrefix("/") { return "\(base)/tieout" }
        let home = environment["HOME"] ?? getpwuid(geteuid()).map { String(cString: $0.pointee.pw_dir) }
        guard let home, home.hasPrefix("/") else {
            throw ClusterError("neither XDG_STATE_HOME nor HOME says where the cluster may live; name a directory")
        }
        return "\(home)/.local/state/tieout"
    }

    /// Makes the state directory and sees that the owner can come to it.
    func prepare(for owner: ClusterOwner) throws(ClusterError) {
        guard state.hasPrefix("/") else { throw ClusterError("the state directory \(state) is not an absolute path") }
        let parent = String(state[..<(state.lastIndex(of: "/") ?? state.startIndex)])
        if !parent.isEmpty {
            do {
                try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
            } catch { throw ClusterError("cannot make the directory \(parent)") }
        }
        try owner.makeDirectory(state)
        if let obstacle = owner.obstacle(on: state) {
            throw ClusterError(
                "user \(owner.name) cannot enter \(obstacle): chmod o+x \(obstacle), or choose another state directory")
        }
    }

    /// The directory for the socket of a server about to start, recorded for everybody else.
    func chooseSocketDirectory(for owner: ClusterOwner) throws(ClusterError) -> String {
        var directory = "\(state)/run"
        if let runtime, owner.obstacle(on: runtime) == nil { directory = "\(runtime)/postgres" }
        if "\(directory)/\(Self.socketName)".utf8.count > Self.longestSocketPath {
            directory = try shortDirectory(for: owner)
        } else {
            try owner.makeDirectory(directory)
        }
        guard owner.ownsPrivately(directory) else {
            throw ClusterError("\(directory) must be a directory of user \(owner.name) with mode 0700")
        }
        try Self.write(directory, to: socketRecord, owner: owner)
        return directory
    }

    private func shortDirectory(for owner: ClusterOwner) throws(ClusterError) -> String {
        if let known = socketDirectory, known.hasPrefix("/tmp/tieout-"), owner.ownsPrivately(known) { return known }
        var name = Array("/tmp/tieout-XXXXXX".utf8CString)
        guard mkdtemp(&name) != nil else { throw ClusterError("cannot make a directory in /tmp (errno \(errno))") }
        let directory = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if getuid() == 0 { chown(directory, owner.user, owner.group) }
        return directory
    }

    static func read(_ path: String) -> String? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        return text.trimmedLine
    }

    /// Replaces the file as a whole, readable by the owner only.
    static func write(_ text: String, to path: String, owner: ClusterOwner) throws(ClusterError) {
        let draft = path + ".new"
        do {
            try (text + "\n").write(toFile: draft, atomically: false, encoding: .utf8)
        } catch { throw ClusterError("cannot write \(path)") }
        chmod(draft, 0o600)
        if getuid() == 0 { chown(draft, owner.user, owner.group) }
        if rename(draft, path) != 0 { throw ClusterError("cannot write \(path) (errno \(errno))") }
    }
}
