import Glibc
import Postgres
import Synchronization

/// Test databases that nobody holds any more. One is dropped as soon as no session uses it (a connection may outlive
/// the object that it came from), and all are when the process ends.
enum Leftovers {
    private static let waiting = Mutex<[String: String]>([:])
    /// Installed once.
    private static let atExit: Void = { _ = atexit { Leftovers.drop(force: true) } }()

    static func leave(_ name: String, on server: String) {
        _ = atExit
        waiting.withLock { $0[name] = server }
        drop(force: false)
    }

    /// Errors are passed over: a database left behind on a test server harms nobody.
    private static func drop(force: Bool) {
        let names = waiting.withLock { $0 }
        guard let server = names.values.first,
            let connection = try? Connection(server, applicationName: "tieout-test")
        else { return }
        let busy = (try? connection.query("select distinct datname from pg_stat_activity where datname is not null"))
        let inUse = Set((busy?.compactMap { try? $0.text(0) }) ?? Array(names.keys))
        for name in names.keys where force || !inUse.contains(name) {
            // Whoever takes the name out of the list drops it.
            guard waiting.withLock({ $0.removeValue(forKey: name) }) != nil else { continue }
            _ = try? connection.execute("drop database if exists \(name) with (force)")
        }
    }
}
