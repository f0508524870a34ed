import Postgres
import TestSupport
import Testing

@testable import Reconciling

@Suite("reference data and live views")
struct ReferenceDataTests {
    private func load(_ connection: Connection) throws {
        try ReferenceData.load(on: connection, root: Checkout.root)
    }

    private func view(_ name: String, _ connection: Connection) throws -> Int64 {
        try connection.query("select to_regclass('scope.\(name)')::oid::bigint as oid").only().int("oid")
    }

    @Test("live views stand while their texts do, and are made anew where one is missing or a migration came")
    func views() throws {
        let connection = try Scene().connection
        let first = try view("source", connection)
        try load(connection)
        #expect(try view("source", connection) == first)

        try connection.execute("drop view scope.settlement_line cascade")
        try load(connection)
        let second = try view("source", connection)
        #expect(second != first)
        #expect(try view("settlement_line", connection) > 0)

        try connection.execute("insert into tieout.schema_migration (version, name, digest) values (9999, 'x', '')")
        try load(connection)
        #expect(try view("source", connection) != second)
    }

    @Test("rows that a file no longer has go, changed ones come back, and those that stand are not written")
    func rows() throws {
        let connection = try Scene().connection
        // With the transactions that wrote them: rows that stand are not written.
        func whole(_ columns: String) throws -> String {
            let sql = "select md5(string_agg(\(columns), ',' order by t::text)) as all from tieout.state_matrix as t"
            return try connection.query(sql).only().text("all")
        }
        let (before, written) = (try whole("t::text"), try whole("t.xmin::text || t::text"))
        try load(connection)
        #expect(try whole("t.xmin::text || t::text") == written)

        try connection.execute(
            """
            update tieout.state_matrix set verdict = 'amount_mismatch' where (book_status, money, state) in
                (select book_status, money, state from tieout.state_matrix order by 1, 2, 3 limit 1)
            """)
        #expect(try whole("t::text") != before)
        try load(connection)
        #expect(try whole("t::text") == before)
    }
}
