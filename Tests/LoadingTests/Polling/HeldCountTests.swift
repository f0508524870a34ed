import Payments
import Postgres
import Providers
import TestSupport
import Testing

@testable import Loading

/// How many rows a source holds is kept beside them, and always what counting them would give.
@Suite("Count of rows held, against PostgreSQL") struct HeldCountTests {
    private static func kept(_ bench: PollingBench) throws -> String? {
        try bench.text(
            """
            select r.records || ' ' || f.records || ' ' || (select count(*) from tieout.transaction)
            from tieout.resource_state r join tieout.feed_state f using (account_id, source_id)
            where r.resource = 'transaction' and f.feed = 'provider'
            """)
    }

    @Test("after new rows, changed ones and none, and where it was not known, the count is that of the rows")
    func kept() async throws {
        let night = PollerTests.night
        var rows = PollerTests.purchases(5)
        let bench = try PollingBench(Array(rows.prefix(3)))
        try await bench.poll(at: night)
        #expect(try Self.kept(bench) == "3 3 3")

        rows[0].members = rows[0].members.replacing("\"Wallet\"", with: "\"Other\"")
        bench.meld.set { [rows] in $0.rows = rows }
        try await bench.poll(at: night.adding(seconds: 3600))
        #expect(try Self.kept(bench) == "5 5 5")
        try await bench.poll(at: night.adding(seconds: 7200))
        #expect(try Self.kept(bench) == "5 5 5")

        // As a poll of an earlier release leaves it.
        try bench.connection.execute("update tieout.resource_state set records = null")
        try await bench.poll(at: night.adding(seconds: 10_800))
        #expect(try Self.kept(bench) == "5 5 5")
    }

    @Test("each commit keeps the count with its rows, and a store that comes after a kill takes it up")
    func committed() throws {
        let bench = try PollingBench([])
        let mapping = try bench.handle().provider.payments.mapping
        func store() throws -> TransactionStore {
            try TransactionStore(
                connection: bench.connection, context: bench.context(at: PollerTests.night), source: "meld-live",
                mapping: mapping)
        }
        let rows = PollerTests.purchases(5)
        let first = try store()
        for group in [rows[..<3], rows[3...], rows[3...]] {
            try bench.store(Array(group), in: first)
            #expect(try bench.text("select records from tieout.resource_state") == "\(first.records)")
        }
        #expect(try first.records == 5 && store().records == 5)
    }

    @Test("rows that are committed are counted, whether or not their walk was completed")
    func interrupted() async throws {
        let bench = try PollingBench(PollerTests.purchases(3))
        try await bench.poll(at: PollerTests.night)
        // What a run leaves that was killed after its last commit: its rows, and no more.
        try bench.connection.execute("delete from tieout.feed_state")
        try bench.connection.execute("update tieout.resource_state set watermark = null, backfill_complete = false")
        try await bench.poll(at: PollerTests.night.adding(seconds: 3600))
        #expect(try Self.kept(bench) == "3 3 3")
    }
}
