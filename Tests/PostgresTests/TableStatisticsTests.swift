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

    @Test("a loaded table is analysed at once, and again only when it has doubled")
    func growth() throws {
        let database = try TestDatabase.make()
        let connection = try database.connection()
        let statistics = TableStatistics(library: SQLLibrary(root: Checkout.root))
        try connection.execute(
            """
            create table tieout.webhook_delivery_2026_06 partition of tieout.webhook_delivery
            for values from ('2026-06-01T00:00:00Z') to ('2026-07-01T00:00:00Z')
            """)
        let loaded: Set = ["break_reason", "webhook_delivery"]
        try connection.transaction { connection in
            try fill(connection, 1, 3000)
            #expect(try statistics.refresh(["break_reason"], on: connection) == ["break_reason"])
            #expect(try statistics.refresh(loaded, on: connection) == ["webhook_delivery"])
        }
        #expect(try statistics.refresh(loaded, on: connection).isEmpty)
        try fill(connection, 3001, 4000)
        #expect(try statistics.refresh(loaded, on: connection).isEmpty)
        try fill(connection, 4001, 8000)
        #expect(
            try statistics.refresh(loaded, on: connection) == ["break_reason", "webhook_delivery_2026_06"])
        #expect(try statistics.refresh(loaded, on: connection) == ["webhook_delivery"])
        #expect(try statistics.refresh(loaded, on: connection).isEmpty)
    }

    @Test("a table of a few rows, which the server never analyses by itself, is analysed once and then left alone")
    func small() throws {
        let database = try TestDatabase.make()
        let connection = try database.connection()
        let statistics = TableStatistics(library: SQLLibrary(root: Checkout.root))
        #expect(try statistics.refresh(["break_reason"], on: connection).isEmpty)
        try connection.execute("insert into tieout.break_reason (account_id, digest) values (1, 'd')")
        #expect(try statistics.refresh(["break_reason"], on: connection) == ["break_reason"])
        try connection.execute("insert into tieout.break_reason (account_id, digest) values (1, 'e')")
        #expect(try statistics.refresh(["break_reason"], on: connection).isEmpty)
    }
}
