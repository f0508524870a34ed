import FoundationEssentials

/// Where PostgreSQL's server programs are.
struct ServerBinaries: Hashable, Sendable {
    static let oldest = 15

    let directory: String
    let major: Int

    func path(_ program: String) -> String { "\(directory)/\(program)" }

    /// The newest from version 15 on; for data already made, the version that made it.
    static func find(major wanted: Int?, path: String) throws(ClusterError) -> ServerBinaries {
        let found = debian() + elsewhere(path)
        if let wanted {
            if let match = found.first(where: { $0.major == wanted }) { return match }
            throw ClusterError(
                "the cluster was made by PostgreSQL \(wanted), which is not installed: apt-get install postgresql-\(wanted)"
            )
        }
        guard let newest = found.filter({ $0.major >= oldest }).max(by: { $0.major < $1.major }) else {
            throw ClusterError("no PostgreSQL server from version \(oldest) on: apt-get install postgresql")
        }
        return newest
    }

    /// `/usr/lib/postgresql/15/bin`.
    private static func debian() -> [ServerBinaries] {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return versions.compactMap { Int($0) }.sorted(by: >)
            .map { ServerBinaries(directory: "\(root)/\($0)/bin", major: $0) }
            .filter(\.isComplete)
    }

    private static func elsewhere(_ path: String) -> [ServerBinaries] {
        path.split(separator: ":").compactMap { part in
            let candidate = ServerBinaries(directory: String(part), major: 0)
            guard candidate.isComplete, let answer = try? ChildProcess.run([candidate.path("pg_ctl"), "--version"])
            else { return nil }
            // pg_ctl (PostgreSQL) 15.20
            let digits = answer.drop { !$0.isNumber }.prefix { $0.isNumber }
            return Int(digits).map { ServerBinaries(directory: String(part), major: $0) }
        }
    }

    private var isComplete: Bool {
        ["initdb", "pg_ctl", "postgres"].allSatisfy { FileManager.default.isExecutableFile(atPath: path($0)) }
    }
}
