import Foundation
import Payments
import Postgres

/// `tieout db …`: the schema, and the private cluster.
enum DatabaseCommands {
    static let commands = [
        Command("db migrate", "db migrate", "bring schema and reference data up to date") { workspace, _ in
            let applied = try workspace.migrate()
            workspace.print(applied.isEmpty ? "db: up to date\n" : applied.map { "db: applied \($0)\n" }.joined())
            return .done
        },
        Command("db status", "db status", "the private cluster, and which migrations are applied") { workspace, _ in
            try status(workspace)
        },
        Command("db start", "db start", "start the private cluster and leave it running") { workspace, _ in
            try needPrivate(workspace)
            try workspace.cluster().start()
            workspace.print("db: started in \(try workspace.cluster().stateDirectory)\n")
            return .done
        },
        Command("db stop", "db stop", "stop the private cluster where nobody uses it") { workspace, _ in
            try needPrivate(workspace)
            let stopped = try workspace.cluster().stop()
            workspace.print(stopped ? "db: stopped\n" : "db: in use, left running\n")
            return .done
        },
        Command("db psql", "db psql [-- ARGUMENTS]", "psql on the database", words: 0...1000) { workspace, words in
            try psql(workspace, words)
        },
    ]

    private static func needPrivate(_ workspace: Workspace) throws {
        if try workspace.configuration().database != nil {
            throw OperatorError.usage(
                "the configuration names a database: it is started and stopped where it runs", advice: "")
        }
    }

    private static func status(_ workspace: Workspace) throws -> ExitStatus {
        if try workspace.configuration().database == nil {
            let cluster = try workspace.cluster()
            workspace.print("cluster: \(cluster.stateDirectory) (private)\n")
        } else {
            workspace.print("cluster: as configured\n")
        }
        let root = try workspace.installation().root
        let steps = try Migrator(directory: root + "/SQL/migrations").status(on: try workspace.connection())
        for step in steps { workspace.print("\(step.isApplied ? "applied" : "pending")  \(step.name)\n") }
        return .done
    }

    private static func psql(_ workspace: Workspace, _ words: [String]) throws -> ExitStatus {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["psql"] + words
        // The address may hold a password: it goes through the environment, never through arguments.
        var environment = workspace.environment
        environment["PGAPPNAME"] = "tieout psql"
        for (key, value) in try ConninfoText.environment(try workspace.conninfo().reveal()) { environment[key] = value }
        process.environment = environment
        // An interrupt is psql's: it stops a statement, not this program.
        signal(SIGINT, SIG_IGN)
        do { try process.run() } catch {
            throw OperatorError(
                "no_psql", "psql could not be started", advice: "install postgresql-client", status: .usage)
        }
        process.waitUntilExit()
        return process.terminationStatus == 0 ? .done : .internalFailure
    }
}

/// libpq's `key=value` text as the environment variables that psql reads.
enum ConninfoText {
    private static let names = [
        "host": "PGHOST", "hostaddr": "PGHOSTADDR", "port": "PGPORT", "user": "PGUSER", "password": "PGPASSWORD",
        "dbname": "PGDATABASE", "sslmode": "PGSSLMODE", "sslrootcert": "PGSSLROOTCERT", "sslcert": "PGSSLCERT",
        "sslkey": "PGSSLKEY", "passfile": "PGPASSFILE", "service": "PGSERVICE", "connect_timeout": "PGCONNECT_TIMEOUT",
        "options": "PGOPTIONS",
    ]

    static func environment(_ conninfo: String) throws(OperatorError) -> [String: String] {
        var result: [String: String] = [:]
        for (key, value) in try pairs(conninfo) {
            guard let name = names[key] else { continue }
            result[name] = value
        }
        return result
    }

    /// `key=value` pairs; values may stand in single quotes with backslash escapes. A URI is read by Foundation.
    private static func pairs(_ text: String) throws(OperatorError) -> [(String, String)] {
        if text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") {
            guard let parts = URLComponents(string: text) else {
                throw OperatorError.usage("the database address cannot be read", advice: "")
            }
            var pairs: [(String, String)] = []
            if let host = parts.host, !host.isEmpty { pairs.append(("host", host)) }
            if let port = parts.port { pairs.append(("port", String(port))) }
            if let user = parts.user { pairs.append(("user", user)) }
            if let password = parts.password { pairs.append(("password", password)) }
            if parts.path.count > 1 { pairs.append(("dbname", String(parts.path.dropFirst()))) }
            for item in parts.queryItems ?? [] { pairs.append((item.name, item.value ?? "")) }
            return pairs
        }
        var pairs: [(String, String)] = []
        var rest = Substring(text)
        while true {
            rest = rest.drop { $0 == " " || $0 == "\n" || $0 == "\t" }
            guard let equals = rest.firstIndex(of: "=") else { return pairs }
            let key = rest[..<equals].filter { $0 != " " }
            rest = rest[rest.index(after: equals)...].drop { $0 == " " }
            var value = ""
            let isQuoted = rest.first == "'"
            if isQuoted { rest.removeFirst() }
            while let character = rest.first {
                rest.removeFirst()
                if character == "\\", let next = rest.popFirst() {
                    value.append(next)
                } else if isQuoted ? character == "'" : character == " " {
                    break
                } else {
                    value.append(character)
                }
            }
            pairs.append((String(key), value))
        }
    }
}
