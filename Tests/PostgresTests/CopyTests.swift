import Foundation
import Payments
import Postgres
import TestSupport
import Testing

@Suite("COPY")
struct CopyTests {
    private static let table =
        "create table t (a smallint, b int, c bigint, d numeric, e text collate \"C\", f varchar, g boolean, h timestamptz, i date, j bytea, k text[], l jsonb, m json)"
    private static let columns = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m"]

    @Test("every column type arrives by binary COPY exactly as by bound values")
    func types() throws {
        let database = try TestDatabase.empty()
        let connection = try database.connection()
        try connection.script(Self.table)
        let moment = try #require(Timestamp("1969-12-31T23:59:59.999999Z"))
        let amount = try ExactDecimal("-12345678901234567890.000000000000000001")
        let text = "O'Hara\t\\N \"€😀\"\n"
        try connection.copyIn("t", columns: Self.columns) { writer in
            try writer.row()
            try writer.write(-32768)
            try writer.write(Int64(Int32.max))
            try writer.write(Int64.min)
            try writer.write(amount)
            try writer.write(text)
            try writer.write(utf8: Array(text.utf8)[...])
            try writer.write(true)
            try writer.write(moment)
            try writer.write(date: "2024-02-29")
            try writer.write(bytes: [0, 255, 10])
            try writer.write(textArray: ["a", "", "{,\"}"])
            try writer.write("{\"n\": 120.10}")
            try writer.write("{\"n\": 120.10}")
            try writer.row()
            for _ in Self.columns { try writer.writeNull() }
        }
        let insert = "insert into t values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"
        try connection.execute(
            insert,
            [
                .int(-32768), .int(Int64(Int32.max)), .int(Int64.min), .decimal(amount), .text(text), .text(text), true,
                .timestamp(moment), .date("2024-02-29"), .bytes([0, 255, 10]), .textArray(["a", "", "{,\"}"]),
                .json("{\"n\": 120.10}"), .json("{\"n\": 120.10}"),
            ])
        let groups = "select count(*) as n, t::text is null or a is null as empty from t group by t::text, a order by 1"
        let rows = try connection.query(groups)
        #expect(try rows.map { try $0.int("n") } == [1, 2])
    }

    @Test("case 29: 20 000 rows of 12 columns load by COPY; as bound values they are refused before the wire")
    func manyRows() throws {
        let database = try TestDatabase.empty()
        let connection = try database.connection()
        let names = (1...12).map { "c\($0)" }
        try connection.script("create table t (\(names.map { "\($0) bigint" }.joined(separator: ", ")))")
        let tuple = "(" + names.map { _ in "$1" }.joined(separator: ", ") + ")"
        let values = [SQLValue](repeating: 1, count: 20_000 * 12)
        let error = #expect(throws: PostgresError.self) {
            try connection.execute("insert into t values \(tuple)", values)
        }
        #expect(error?.kind == .usage)
        #expect(
            error?.description
                == "database usage: 240000 values bound to one statement, at most 65535 are possible; use copyIn")
        let stored = try connection.copyIn("t", columns: names) { writer in
            for row in 0..<20_000 {
                try writer.row()
                for column in 0..<12 { try writer.write(row * 12 + column) }
            }
        }
        #expect(stored == 20_000)
        let sum = try connection.query("select count(*), sum(c1 + c12) from t").only()
        #expect(try sum.int(0) == 20_000 && sum.decimal(1).description == "4799980000")
        // The greatest number of values that does travel.
        let most = [SQLValue](repeating: 1, count: 65_535)
        let places = (1...65_535).map { "$\($0)" }.joined(separator: ", ")
        #expect(try connection.query("select cardinality(array[\(places)])", most).only().int(0) == 65_535)
    }

    @Test("values larger than the buffer, and rows that cross its border, arrive whole")
    func large() throws {
        let database = try TestDatabase.empty()
        let connection = try database.connection()
        try connection.script("create table t (n int, body bytea, text text)")
        let sizes = [0, 1, 262_100, 262_140, 262_144, 262_145, 700_000, 3]
        try connection.copyIn("t", columns: ["n", "body", "text"]) { writer in
            for (number, size) in sizes.enumerated() {
                try writer.row()
                try writer.write(number)
                try writer.write(bytes: [UInt8](repeating: UInt8(number), count: size))
                try writer.write(String(repeating: "x", count: size))
            }
        }
        let rows = try connection.query("select n, length(body) as bytes, length(text) as characters from t order by n")
        #expect(try rows.map { try $0.int("bytes") } == sizes.map { Int64($0) })
        #expect(try rows.map { try $0.int("characters") } == sizes.map { Int64($0) })
    }

    @Test("a throw in the middle takes every row back, and the connection goes on")
    func abort() throws {
        struct Enough: Error {}
        let database = try TestDatabase.empty()
        let connection = try database.connection()
        try connection.script("create table t (n int)")
        #expect(throws: Enough.self) {
            try connection.copyIn("t", columns: ["n"]) { writer in
                for number in 0..<100_000 {
                    try writer.row()
                    try writer.write(number)
                }
                throw Enough()
            }
        }
        #expect(try connection.query("select count(*) from t").only().int(0) == 0)
        try connection.copyIn("t", columns: ["n"]) { writer in
            try writer.row()
            try writer.write(1)
        }
        #expect(try connection.query("select count(*) from t").only().int(0) == 1)
    }

    @Test("a value that does not fit its column is refused by the column's name, and nothing is stored")
    func misfits() throws {
        let database = try TestDatabase.empty()
        let connection = try database.connection()
        try connection.script(Self.table)
        func message(_ column: String, _ write: (inout CopyWriter) throws -> Void) -> String {
            do {
                try connection.copyIn("public.t", columns: [column]) { writer in
                    try writer.row()
                    try write(&writer)
                }
                return "no error"
            } catch { return "\(error)" }
        }
        #expect(
            message("a") { try $0.write(32_768) } == "database usage: public.t.a is smallint, the value is out of range"
        )
        #expect(
            message("b") { try $0.write(Int64(Int32.max) + 1) }.contains("t.b is integer, the value is out of range"))
        #expect(message("h") { try $0.write(5) }.contains("t.h is timestamptz, the value is an integer"))
        #expect(message("d") { try $0.write("12") }.contains("t.d is numeric, the value is text"))
        #expect(message("e") { try $0.write("a\0b") }.contains("a text for public.t.e holds a NUL"))
        #expect(
            message("c") {
                try $0.write(1); try $0.write(2)
            }.contains("outside its row"))
        #expect(message("c") { try $0.row() }.contains("row 1 for public.t has 0 of 1 values"))
        #expect(message("c") { _ in }.contains("row 1 for public.t has 0 of 1 values"))
        #expect(message("d") { try $0.write(7) } == "no error")
        #expect(try connection.query("select d from t").only().decimal(0).description == "7")
    }

    @Test("a file's bytes stream into COPY as they are, and a bad line is named without its content")
    func textCopy() throws {
        let database = try TestDatabase.empty()
        let connection = try database.connection()
        try connection.script("create table t (id text, amount numeric)")
        let sql = "copy t from stdin (format csv, header)"
        let stored = try connection.copyText(sql) { bytes in
            try bytes.write(Array("id,amount\n\"a,\"\"b\"\"\",120.".utf8))
            try bytes.write(Array("10\nc,1e-18\n".utf8)[...])
        }
        #expect(stored == 2)
        #expect(
            try connection.query("select amount from t order by id").map { try $0.text(0) } == [
                "120.10", "0.000000000000000001",
            ])
        let error = #expect(throws: PostgresError.self) {
            try connection.copyText(sql) { try $0.write(Array("id,amount\na,1\nb,4111111111111111x\n".utf8)) }
        }
        #expect(error?.sqlState == "22P02")
        #expect(error?.description.contains("line 3, column amount") == true)
        #expect(error?.description.contains("4111") == false)
    }

    @Test("rows stream out as the server formats them, and a throw stops it at once")
    func copyOut() throws {
        struct Enough: Error {}
        let database = try TestDatabase.empty()
        let connection = try database.connection()
        var lines: [String] = []
        let name = try connection.quote("it's")
        let rows = try connection.copyOut(
            "copy (select \(name), n from generate_series(1, 3) n) to stdout (format csv)"
        ) {
            lines.append(String(decoding: $0, as: UTF8.self))
        }
        #expect(rows == 3 && lines == ["it's,1\n", "it's,2\n", "it's,3\n"])
        var seen = 0
        #expect(throws: Enough.self) {
            try connection.copyOut("copy (select generate_series(1, 1000000000)) to stdout") { _ in
                seen += 1
                if seen == 10 { throw Enough() }
            }
        }
        #expect(seen == 10)
        #expect(try connection.query("select 1").only().int(0) == 1)
        #expect(throws: PostgresError.self) { try connection.copyOut("select 1") { _ in } }
    }

    @Test(
        "case 31: a COPY whose backend is ended in the middle fails as transient and stores nothing; again, it is whole"
    )
    func terminated() throws {
        let database = try TestDatabase.empty()
        let killer = try database.connection()
        try killer.script("create table t (n int, filler text)")
        let filler = String(repeating: "x", count: 100)
        func load(_ connection: Connection, killAt: Int?) throws {
            let process = try connection.query("select pg_backend_pid()").only().int(0)
            try connection.copyIn("t", columns: ["n", "filler"]) { writer in
                for number in 0..<50_000 {
                    if number == killAt {
                        try killer.execute("select pg_terminate_backend($1::int, 5000)", [.int(process)])
                    }
                    try writer.row()
                    try writer.write(number)
                    try writer.write(filler)
                }
            }
        }
        let victim = try database.connection()
        let error = #expect(throws: PostgresError.self) { try load(victim, killAt: 30_000) }
        #expect(error?.isTransient == true)
        #expect(!victim.isAlive)
        #expect(try killer.query("select count(*) from t").only().int(0) == 0)
        try load(database.connection(), killAt: nil)
        #expect(try killer.query("select count(*), count(distinct n) from t").only().int(1) == 50_000)
    }
}
