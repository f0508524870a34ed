import FoundationEssentials
package import Postgres

/// A database of its own for one test: a copy of a migrated template, dropped some time after this object and the
/// connections to it have gone.
package final class TestDatabase {
    /// Why there is no test database.
    package struct Fault: Error, CustomStringConvertible {
        package let description: String
    }

    package let name: String
    package let conninfo: String
    private let server: String

    /// Makes one. `reference` runs once on the template, after the migrations, with the checkout's root: the place to
    /// load `SQL/reference`. A template is kept on the server as long as `SQL/migrations`, `SQL/reference` and
    /// `SQL/views` do not change; give every different closure its own `templateName`.
    package static func make(
        templateName: String? = nil, reference: ((Connection, String) throws -> Void)? = nil
    ) throws -> TestDatabase {
        let server = try serverConninfo()
        let template = try Template.ensure(
            templateName ?? (reference == nil ? "plain" : "reference"), on: server, reference: reference)
        let name = "tieout_test_\(UInt64.random(in: .min ... .max))"
        let connection = try Connection(server, applicationName: "tieout-test")
        // A third of the processor time that the log of each page takes.
        try connection.execute("create database \(name) template \(template) strategy file_copy")
        return TestDatabase(name: name, server: server)
    }

    /// Makes one without any schema.
    package static func empty() throws -> TestDatabase {
        let server = try serverConninfo()
        let name = "tieout_test_\(UInt64.random(in: .min ... .max))"
        try Connection(server, applicationName: "tieout-test").execute("create database \(name) template template0")
        return TestDatabase(name: name, server: server)
    }

    private init(name: String, server: String) {
        self.name = name
        self.server = server
        conninfo = "\(server) dbname=\(name)"
    }

    deinit { Leftovers.leave(name, on: server) }

    /// A new connection to it. The database stays as long as this object or a connection does.
    package func connection() throws -> Connection { try Connection(conninfo, applicationName: "tieout-test") }

    /// Drops it at once, with whatever is still connected. May be called twice.
    package func close() {
        // A database left behind by a server that is gone harms nobody.
        let connection = try? Connection(server, applicationName: "tieout-test")
        _ = try? connection?.execute("drop database if exists \(name) with (force)")
    }

    /// The server for tests, from `TIEOUT_TEST_DATABASE`.
    package static func serverConninfo() throws(Fault) -> String {
        guard let conninfo = ProcessInfo.processInfo.environment["TIEOUT_TEST_DATABASE"], !conninfo.isEmpty else {
            throw Fault(description: "TIEOUT_TEST_DATABASE is not set: run the tests by Scripts/with-postgres")
        }
        if conninfo.contains("://") {
            throw Fault(description: "TIEOUT_TEST_DATABASE must be keyword=value words, not a URI")
        }
        return conninfo
    }
}
