import Foundation
import Payments
import Postgres
import TestSupport
import Testing

@Suite("a connection")
struct ConnectionTests {
    private func failure(_ body: () throws -> Void) throws -> PostgresError {
        try #require(#expect(throws: PostgresError.self) { try body() })
    }

    @Test("errors name table and constraint and never hold the data")
    func errors() throws {
        let database = try TestDatabase.empty()
        let connection = try database.connection()
        try connection.script("create schema s; create table s.t (a text primary key, b int not null check (b > 0))")
        try connection.execute("insert into s.t values ('4111111111111111', 1)")
        let twice = try failure { try connection.execute("insert into s.t values ('4111111111111111', 1)") }
        #expect(twice.sqlState == "23505" && twice.table == "s.t" && twice.constraint == "t_pkey")
        #expect(
            twice.description
                == "unique_violation (23505) on s.t, constraint t_pkey: duplicate key value violates unique constraint \"t_pkey\""
        )
        let null = try failure { try connection.execute("insert into s.t values ('4111111111111112', null)") }
        #expect(null.sqlState == "23502" && null.column == "b")
        let values: [SQLValue] = ["4111111111111113"]
        let statements = [
            "select $1::int", "select $1::text::timestamptz", "select ('{' || $1)::text[]",
            "select ($1 || 'x')::numeric",
            "select ('{\"a\": ' || $1)::jsonb", "select $1::bigint::int", "select to_date($1, 'YYYY-MM-DD')",
            "select ($1 || ' \"quoted\"')::uuid",
        ]
        for statement in statements {
            let error = try failure { _ = try connection.query(statement, values) }
            #expect(!error.description.contains("4111"), "\(statement)")
            #expect(!error.isTransient && error.kind == .server)
        }
        #expect(!null.description.contains("4111") && !twice.description.contains("4111"))
    }

    @Test("a syntax error says its line")
    func line() throws {
        let connection = try TestDatabase.empty().connection()
        let error = try failure { _ = try connection.query("select 1,\n  2,\n  nowhere\nfrom t") }
        #expect(error.message.hasSuffix("(line 4)"))
        #expect(try failure { try connection.execute("") }.kind == .usage)
    }

    @Test("a transaction commits what its body did, and a throw takes it back")
    func transactions() throws {
        struct Enough: Error {}
        let database = try TestDatabase.empty()
        let connection = try database.connection()
        try connection.script("create table t (n int)")
        let value = try connection.transaction { connection in
            try connection.execute("insert into t values (1)")
            return "done"
        }
        #expect(value == "done")
        #expect(throws: Enough.self) {
            try connection.transaction { connection in
                try connection.execute("insert into t values (2)")
                throw Enough()
            }
        }
        #expect(try connection.query("select n from t").map { try $0.int(0) } == [1])
        #expect(!connection.isInTransaction)
    }

    @Test("a transaction whose body swallowed an error does not pretend to have committed")
    func swallowed() throws {
        let database = try TestDatabase.empty()
        let connection = try database.connection()
        try connection.script("create table t (n int)")
        let error = try failure {
            try connection.transaction { connection in
                try connection.execute("insert into t values (1)")
                _ = try? connection.execute("select 1 / 0")
            }
        }
        #expect(error.sqlState == "25P02")
        #expect(try connection.query("select count(*) from t").only().int(0) == 0)
    }

    @Test("transactions do not nest, and a read-only one does not write")
    func limits() throws {
        let database = try TestDatabase.empty()
        let connection = try database.connection()
        try connection.script("create table t (n int)")
        let nested = try failure { try connection.transaction { try $0.transaction { _ in } } }
        #expect(nested.kind == .usage)
        let written = try failure {
            _ = try connection.transaction(readOnly: true) { try $0.execute("insert into t values (1)") }
        }
        #expect(written.sqlState == "25006")
        let level = try connection.transaction(.serializable) {
            try $0.query("select current_setting('transaction_isolation')").only().text(0)
        }
        #expect(level == "serializable")
    }

    @Test("two serializable transactions that cannot both be true: the second fails as transient")
    func serialization() throws {
        let database = try TestDatabase.empty()
        let (one, two) = (try database.connection(), try database.connection())
        try one.script("create table t (n int); insert into t values (1)")
        let error = try failure {
            try one.transaction(.serializable) { one in
                _ = try one.query("select sum(n) from t")
                try two.transaction(.serializable) { two in
                    _ = try two.query("select sum(n) from t")
                    try two.execute("insert into t values (2)")
                }
                try one.execute("insert into t values (3)")
            }
        }
        #expect(error.sqlState == "40001" && error.isTransient)
    }

    @Test("a streamed query hands over every row in order, in flat memory, and can be stopped")
    func streaming() throws {
        struct Enough: Error {}
        let connection = try TestDatabase.empty().connection()
        let before = try residentKilobytes()
        var sum: Int64 = 0
        // 300 MB of text, were it kept.
        let sql = "select n, repeat('x', $2::int) as filler from generate_series(1, $1) n"
        try connection.stream(sql, [300_000, 1000]) { row in
            sum += try row.int("n")
            guard try row.withBytes("filler", { $0.count == 1000 }) else { throw Enough() }
        }
        #expect(sum == 45_000_150_000)
        let grown = try residentKilobytes() - before
        #expect(grown < 100_000, "\(grown) kB")
        var seen = 0
        #expect(throws: Enough.self) {
            try connection.stream("select generate_series(1, 1000000000)") { _ in
                seen += 1
                if seen == 3 { throw Enough() }
            }
        }
        #expect(seen == 3)
        #expect(try connection.query("select 1").only().int(0) == 1)
    }

    private func residentKilobytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
        return try #require(Int(line.filter(\.isNumber)))
    }

    @Test("a connection that streams takes no other statement, and an error late in a stream comes out")
    func streamFaults() throws {
        let connection = try TestDatabase.empty().connection()
        let busy = try failure {
            try connection.stream("select 1") { _ in try connection.execute("select 2") }
        }
        #expect(busy.kind == .usage && busy.message.contains("a streamed query"))
        var seen = 0
        let late = try failure {
            try connection.stream("select 1 / (5 - n) from generate_series(1, 9) n") { _ in seen += 1 }
        }
        #expect(late.sqlState == "22012" && seen == 4)
        try connection.stream("select 1 where false") { _ in seen += 1 }
        #expect(seen == 4)
    }

    @Test("a canceller stops a statement from another thread")
    func cancelling() throws {
        let connection = try TestDatabase.empty().connection()
        let canceller = connection.canceller
        let thread = Thread {
            usleep(100_000)
            canceller.cancel()
        }
        thread.start()
        let error = try failure { _ = try connection.query("select pg_sleep(60)") }
        #expect(error.kind == .cancelled && error.sqlState == "57014" && !error.isTransient)
        #expect(try connection.query("select 1").only().int(0) == 1)
    }

    @Test("a lock that is not free in time, and a lost connection, may be tried again")
    func transient() throws {
        let database = try TestDatabase.empty()
        let (one, two) = (try database.connection(), try database.connection())
        try one.script("create table t (n int)")
        try one.transaction { one in
            try one.execute("lock table t")
            let error = try failure {
                try two.transaction { two in
                    try two.execute("set local lock_timeout = '50ms'")
                    try two.execute("lock table t")
                }
            }
            #expect(error.sqlState == "55P03" && error.isTransient)
        }
        let process = try two.query("select pg_backend_pid()").only().int(0)
        try one.execute("select pg_terminate_backend($1::int, 5000)", [.int(process)])
        let lost = try failure { try two.execute("select 1") }
        #expect(lost.isTransient && !two.isAlive)
    }

    @Test("what cannot be connected to says why, and whether waiting may help")
    func refusals() throws {
        let server = try TestDatabase.serverConninfo()
        let nowhere = try failure { _ = try Connection("host=/nonexistent dbname=x", applicationName: "t") }
        #expect(nowhere.kind == .connection && nowhere.isTransient)
        let missing = try failure { _ = try Connection("\(server) dbname=no_such_database", applicationName: "t") }
        #expect(missing.sqlState == "3D000" && !missing.isTransient)
        #expect(!missing.message.contains("3D000") && missing.message.contains("no_such_database"))
        let typo = try failure { _ = try Connection("host=x password", applicationName: "t") }
        #expect(typo.kind == .usage)
    }

    @Test("it announces itself, and asks nothing of the session")
    func session() throws {
        let connection = try TestDatabase.empty().connection()
        let row = try connection.query("select current_setting('application_name'), current_setting('client_encoding')")
            .only()
        #expect(try row.text(0) == "tieout-test" && row.text(1) == "UTF8")
        let changed = "select name from pg_settings where source = 'session'"
        #expect(try connection.query(changed).map { try $0.text(0) } == [])
        try connection.transaction { _ = try $0.query("select $1 + 1", [1]) }
        #expect(try connection.query("select count(*) from pg_prepared_statements").only().int(0) == 0)
        #expect(try connection.query(changed).map { try $0.text(0) } == [])
        #expect(try connection.quote("a'b\\c") == " E'a''b\\\\c'")
        #expect(try connection.quoteIdentifier("a\"b") == "\"a\"\"b\"")
    }
}
