import Foundation
import TestSupport

/// PgBouncer in transaction mode before the test server: each transaction may run on another of its few sessions.
final class Pooler {
    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    static let program = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    private let folder: String
    private let process = Process()

    init() throws {
        guard let program = Self.program else { throw Fault(description: "pgbouncer is not installed") }
        // Short: a socket's path may have 107 bytes only.
        folder = "/tmp/tieout-pb-" + String(UInt32.random(in: .min ... .max), radix: 36)
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o777])
        chmod(folder, 0o777)
        let server = try TestDatabase.serverConninfo().split(separator: " ").filter {
            $0.hasPrefix("host=") || $0.hasPrefix("port=") || $0.hasPrefix("user=")
        }.joined(separator: " ")
        // Nothing is ignored at start-up: what a session sets would be refused, or show up in another's transaction.
        let settings = """
            [databases]
            * = \(server)
            [pgbouncer]
            listen_port = 6432
            unix_socket_dir = \(folder)
            unix_socket_mode = 0777
            auth_type = any
            pool_mode = transaction
            default_pool_size = 3
            server_round_robin = 1
            max_client_conn = 200
            logfile = \(folder)/log
            """
        try settings.write(toFile: folder + "/pgbouncer.ini", atomically: true, encoding: .utf8)
        // It refuses to run as root.
        let command = getuid() == 0 ? ["runuser", "-u", "nobody", "--", program] : [program]
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command + ["-q", folder + "/pgbouncer.ini"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        try TieoutProcess.wait("pgbouncer") {
            FileManager.default.fileExists(atPath: folder + "/.s.PGSQL.6432")
        }
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
        try? FileManager.default.removeItem(atPath: folder)
    }

    func conninfo(_ database: String) -> String { "host=\(folder) port=6432 user=postgres dbname=\(database)" }
}
