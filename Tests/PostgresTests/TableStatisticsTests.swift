import Postgres
import TestSupport
import Testing

@Suite("statistics of tables")
struct TableStatisticsTests {
    private func fill(_ connection: Connection, _ first: Int, _ last: Int) throws {
        try connection.execute(
            """
            insert into tieout.break_reason (account_id, digest, body)
            select 1, sha256(n::text::bytea), repeat('x', 100) from generate_series($1::bigint, $2::bigint) as g (n)
            """, [.int(Int64(first)), .int(Int64(last))])
        try connection.execute(
            """
            insert into tieout.webhook_delivery (account_id, source_id, event_key, received_at, delivery_digest, run_id,
                observed_at, verdict, applied, out_of_order, body_digest, kept_digest, file_digest, line_no)
            select 1, 's', n::text, '2026-06-01T00:00:00Z', 'd', 1, '2026-06-01T00:00:00Z', 'valid', true, false, 'b',
                'k', 'f', n
            from generate_series($1::bigint, $2::bigint) as g (n)
            """, [.int(Int64(first)), .int(Int64(last))])
    }

    private func partition(_ connection: Connection) throws {
        try connection.execute(
            """
            create table tieout.webhook_delivery_2026_06 partition of tieout.webhook_delivery
            for values from ('2026-06-01T00:00:00Z') to ('2026-07-01T00:00:00Z')
            """)
    }

    @Test("a loaded table is analysed at once, and again only when it has doubled")
    func growth() throws {
        let database = try TestDatabase.make()
        let connection = try database.connection()
        let statistics = TableStatistics(library: SQLLibrary(root: Checkout.root))
        try partition(connection)
        let loaded: Set = ["break_reason", "webhook_delivery"]
        try connection.transaction { connection in
            try fill(connection, 1, 3000)
            #expect(try statistics.refresh(["break_reason"], for: 1, on: connection) == ["break_reason"])
            #expect(try statistics.refresh(loaded, for: 1, on: connection) == ["webhook_delivery"])
        }
        #expect(try statistics.refresh(loaded, for: 1, on: connection).isEmpty)
        try fill(connection, 3001, 4000)
        #expect(try statistics.refresh(loaded, for: 1, on: connection).isEmpty)
        try fill(connection, 4001, 8000)
        #expect(
            try statistics.refresh(loaded, for: 1, on: connection) == ["break_reason", "webhook_delivery_2026_06"])
        #expect(try statistics.refresh(loaded, for: 1, on: connection) == ["webhook_delivery"])
        #expect(try statistics.refresh(loaded, for: 1, on: connection).isEmpty)
    }

    @Test("a table of a few rows, which the server never analyses by itself, is analysed once and then left alone")
    func small() throws {
        let database = try TestDatabase.make()
        let connection = try database.connection()
        let statistics = TableStatistics(library: SQLLibrary(root: Checkout.root))
        #expect(try statistics.refresh(["break_reason"], for: 1, on: connection).isEmpty)
        try connection.execute("insert into tieout.break_reason (account_id, digest) values (1, 'd')")
        #expect(try statistics.refresh(["break_reason"], for: 1, on: connection) == ["break_reason"])
        try connection.execute("insert into tieout.break_reason (account_id, digest) values (1, 'e')")
        #expect(try statistics.refresh(["break_reason"], for: 1, on: connection).isEmpty)
    }

    @Test("a second account, whose rows double nothing, makes a table be analysed; a few more of a known one do not")
    func secondAccount() throws {
        let database = try TestDatabase.make()
        let connection = try database.connection()
        let statistics = TableStatistics(library: SQLLibrary(root: Checkout.root))
        func believed(_ account: Int64) throws -> Int64 {
            let plan = try connection.query(
                "explain (format json) select from tieout.break_reason where account_id = \(account)"
            ).only().text(0)
            let rows = plan.split(separator: "\"Plan Rows\": ")[1].prefix(while: \.isNumber)
            return Int64(rows) ?? 0
        }
        try partition(connection)
        try connection.execute("alter table tieout.break_reason set (autovacuum_enabled = false)")
        try fill(connection, 1, 3000)
        try statistics.count(on: connection)
        #expect(try statistics.refresh(["break_reason"], for: 1, on: connection) == ["break_reason"])
        try connection.execute(
            "insert into tieout.break_reason (account_id, digest) select 2, sha256(n::text::bytea) from generate_series(1, 500) n"
        )
        try statistics.count(on: connection)
        #expect(try believed(2) == 1)
        #expect(try statistics.refresh(["break_reason"], for: 1, on: connection).isEmpty)
        #expect(try statistics.refresh(["break_reason"], for: 2, on: connection) == ["break_reason"])
        #expect(try believed(2) > 300)
        #expect(try statistics.refresh(["break_reason"], for: 2, on: connection).isEmpty)
    }
}
