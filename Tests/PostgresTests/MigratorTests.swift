import Foundation
import Postgres
import TestSupport
import Testing

@Suite("migrations")
struct MigratorTests {
    /// Files in a directory of its own, removed with it.
    final class Files {
        let directory: String

        init(_ files: [String: String]) throws {
            directory = NSTemporaryDirectory() + "/migrations-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            for (name, text) in files { try write(name, text) }
        }

        deinit { try? FileManager.default.removeItem(atPath: directory) }

        func write(_ name: String, _ text: String) throws {
            try text.write(toFile: "\(directory)/\(name)", atomically: true, encoding: .utf8)
        }

        var migrator: Migrator { Migrator(directory: directory) }
    }

    private func message(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "no error"
        } catch {
            return "\(error)"
        }
    }

    @Test("files are applied once, in order, and shown")
    func order() throws {
        let database = try TestDatabase.empty()
        let connection = try database.connection()
        let files = try Files(["0001_make.sql": "create table t (a int);", "README.md": "no migration"])
        #expect(try files.migrator.status(on: connection).map(\.isApplied) == [false])
        #expect(try files.migrator.migrate(connection) == ["0001_make.sql"])
        try files.write("0002_widen.sql", "alter table t add b int;\ninsert into t values (1, 2);")
        #expect(try files.migrator.migrate(connection) == ["0002_widen.sql"])
        #expect(try files.migrator.migrate(connection) == [])
        #expect(try files.migrator.status(on: connection).map(\.isApplied) == [true, true])
        #expect(try connection.query("select a + b from t").only().int(0) == 3)
    }

    @Test("a failed file stops everything, leaves nothing of itself and all of its forerunners")
    func failure() throws {
        let database = try TestDatabase.empty()
        let connection = try database.connection()
        let files = try Files([
            "0001_make.sql": "create table one (a int);",
            "0002_broken.sql": "create table two (a int);\n\ninsert into missing values (1);",
            "0003_later.sql": "create table three (a int);",
        ])
        let message = message { try files.migrator.migrate(connection) }
        #expect(message.contains("0002_broken.sql failed"))
        #expect(message.contains("undefined_table (42P01)") && message.contains("line 3"))
        let tables = try connection.query("select tablename from pg_tables where schemaname = 'public'")
        #expect(try tables.map { try $0.text(0) } == ["one"])
        try files.write("0002_broken.sql", "create table two (a int);")
        #expect(try files.migrator.migrate(connection) == ["0002_broken.sql", "0003_later.sql"])
    }

    @Test("an applied file that was edited stops everything and is named; its twin, untouched, does not")
    func edited() throws {
        let database = try TestDatabase.empty()
        let connection = try database.connection()
        let files = try Files(["0001_make.sql": "create table t (a int);", "0002_more.sql": "create table u (a int);"])
        try files.migrator.migrate(connection)
        try files.write("0003_next.sql", "create table v (a int);")
        try files.write("0002_more.sql", "create table u (a bigint);")
        #expect(message { try files.migrator.migrate(connection) }.hasPrefix("0002_more.sql was edited"))
        #expect(message { _ = try files.migrator.status(on: connection) }.hasPrefix("0002_more.sql was edited"))
        #expect(try connection.query("select to_regclass('v')::text").only().optionalText(0) == nil)
        try files.write("0002_more.sql", "create table u (a int);")
        #expect(try files.migrator.migrate(connection) == ["0003_next.sql"])
    }

    @Test(
        "numbers have no gap and no repeat, names have one form",
        arguments: [
            (["0002_a.sql"], "number 1 is missing"), (["0001_a.sql", "0003_b.sql"], "number 2 is missing"),
            (["0001_a.sql", "0001_b.sql"], "given twice"), (["1_a.sql"], "not named like"),
            (["0001_A.sql"], "not named like"), (["0001.sql"], "not named like"),
        ])
    func naming(names: [String], fault: String) throws {
        let database = try TestDatabase.empty()
        let connection = try database.connection()
        let files = try Files(Dictionary(uniqueKeysWithValues: names.map { ($0, "select 1;") }))
        #expect(message { try files.migrator.migrate(connection) }.contains(fault))
    }

    @Test("a database ahead of the program is refused, and so is a renamed file")
    func ahead() throws {
        let database = try TestDatabase.empty()
        let connection = try database.connection()
        let both = try Files(["0001_make.sql": "select 1;", "0002_more.sql": "select 2;"])
        try both.migrator.migrate(connection)
        let fewer = try Files(["0001_make.sql": "select 1;"])
        #expect(message { try fewer.migrator.migrate(connection) }.contains("0002_more.sql, which is newer"))
        let renamed = try Files(["0001_other.sql": "select 1;", "0002_more.sql": "select 2;"])
        #expect(message { try renamed.migrator.migrate(connection) }.contains("0001_make.sql was applied"))
    }

    @Test("a file that ends its own transaction is refused")
    func commit() throws {
        let database = try TestDatabase.empty()
        let connection = try database.connection()
        let files = try Files(["0001_make.sql": "create table t (a int);\ncommit;\nbegin;"])
        #expect(message { try files.migrator.migrate(connection) }.contains("ends its transaction itself"))
    }

    @Test("migrators that start at once apply each file exactly once between them")
    func concurrent() async throws {
        let database = try TestDatabase.empty()
        let files = try Files([
            "0001_make.sql": "create table t (a int);", "0002_fill.sql": "insert into t select 1 from pg_sleep(0.05);",
            "0003_more.sql": "insert into t values (2);",
        ])
        let (directory, conninfo) = (files.directory, database.conninfo)
        let applied = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try Migrator(directory: directory).migrate(Connection(conninfo, applicationName: "tieout-test"))
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(applied.sorted() == ["0001_make.sql", "0002_fill.sql", "0003_more.sql"])
        #expect(try database.connection().query("select count(*) from t").only().int(0) == 2)
    }
}
