import Crypto
import FoundationEssentials
import Postgres
import Synchronization

/// The migrated database that tests are copied from. Its name holds a digest of what made it, so a server that serves
/// several checkouts keeps them apart.
enum Template {
    private static let known = Mutex<Set<String>>([])

    /// Makes the template where the server lacks it. Whoever comes second waits, in this process or another.
    static func ensure(
        _ kind: String, on server: String, reference: ((Connection, String) throws -> Void)?
    ) throws -> String {
        let name = "tieout_template_\(kind)_\(try digest())"
        if known.withLock({ $0.contains(name) }) { return name }
        try Connection(server, applicationName: "tieout-test").transaction { guardian in
            // A database cannot be made inside a transaction: this one only holds the lock.
            try guardian.execute("select pg_advisory_xact_lock(hashtextextended($1, 0))", [.text(name)])
            let exists = "select exists (select from pg_database where datname = $1)"
            if try guardian.query(exists, [.text(name)]).only().bool(0) { return }
            try make(name, on: server, reference: reference)
        }
        _ = known.withLock { $0.insert(name) }
        return name
    }

    /// Under a working name first: a template that exists is complete.
    private static func make(
        _ name: String, on server: String, reference: ((Connection, String) throws -> Void)?
    ) throws {
        let draft = name + "_draft"
        let connection = try Connection(server, applicationName: "tieout-test")
        try connection.execute("drop database if exists \(draft) with (force)")
        try connection.execute("create database \(draft) template template0")
        try fill("\(server) dbname=\(draft)", reference: reference)
        try connection.execute("alter database \(draft) rename to \(name)")
        // Nobody may connect: a copy needs its model to itself.
        try connection.execute("alter database \(name) allow_connections false")
    }

    private static func fill(_ conninfo: String, reference: ((Connection, String) throws -> Void)?) throws {
        let connection = try Connection(conninfo, applicationName: "tieout-test")
        try Migrator(directory: Checkout.root + "/SQL/migrations").migrate(connection)
        try reference?(connection, Checkout.root)
    }

    private static func digest() throws -> String {
        var hasher = SHA256Hasher()
        for folder in ["SQL/migrations", "SQL/reference", "SQL/views"] {
            let path = "\(Checkout.root)/\(folder)"
            let paths = ((try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []).sorted()
            for path in paths {
                guard let data = try? Data(contentsOf: URL(filePath: "\(Checkout.root)/\(folder)/\(path)")) else {
                    continue
                }
                hasher.update(Array("\(folder)/\(path) \(data.count)\n".utf8))
                hasher.update(data)
            }
        }
        return String(Hex.encode(hasher.finish()).prefix(12))
    }
}
