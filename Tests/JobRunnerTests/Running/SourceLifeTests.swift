import Foundation
import Payments
import Postgres
import TestSupport
import Testing

@Suite("Life of a source")
struct SourceLifeTests {
    private let library = SQLLibrary(root: Checkout.root)

    private func set(_ life: String, at moment: String, on connection: Connection) throws -> String {
        try connection.execute(
            library.text("SQL/jobs/set_source.sql"),
            [
                1, "meld-live", "meld", "live", .text(life), nil, nil, "customer", .json("{}"),
                .timestamp(Timestamp(moment)),
            ])
        return try connection.query(
            "select life || ' ' || tieout.moment(life_since) from tieout.source where account_id = 1"
        ).only().text(0)
    }

    @Test("the moment of a new life is noted, and not moved by a run that finds the same")
    func since() throws {
        let database = try TestDatabase.make()
        let connection = try database.connection()
        try connection.execute("insert into tieout.account (account_id, name) values (1, 'a')")
        let first = try set("active", at: "2026-08-20T00:00:00Z", on: connection)
        #expect(try set("active", at: "2026-08-21T00:00:00Z", on: connection) == first)
        let drained = try set("draining", at: "2026-08-22T00:00:00Z", on: connection)
        #expect(drained == "draining \(Timestamp("2026-08-22T00:00:00Z")?.microseconds ?? 0)")
        #expect(try set("draining", at: "2026-08-23T00:00:00Z", on: connection) == drained)
    }

    @Test("rows created since a source drains are found; without one there is no row")
    func draining() throws {
        let database = try TestDatabase.make()
        let connection = try database.connection()
        try connection.execute("insert into tieout.account (account_id, name) values (1, 'a')")
        _ = try set("draining", at: "2026-08-22T00:00:00Z", on: connection)
        let add = try String(
            contentsOfFile: "\(Checkout.root)/Tests/ReportingTests/Fixtures/add_transaction.sql", encoding: .utf8)
        func rows() throws -> [String] {
            try connection.query(library.text("SQL/jobs/draining.sql"), [1]).map {
                "\(try $0.text("source_id")) \(try $0.int("records"))"
            }
        }
        try connection.execute(add, ["T1", "2026-08-21T10:00:00Z", "SETTLED", "settled", "delivered", nil])
        #expect(try rows().isEmpty)
        try connection.execute(add, ["T2", "2026-08-22T10:00:00Z", "SETTLED", "settled", "delivered", nil])
        #expect(try rows() == ["meld-live 1"])
    }
}
