import HTTP
import JSON
import Payments
import Postgres
import Providers
import Testing

@testable import Loading

@Suite("Quarantined elements, tried again")
struct ElementRetryTests {
    static let night = Timestamp(seconds: 1_786_413_000)

    /// Meld, but for a mapping that refuses one id: what a release before the fix did.
    struct Refusing: Provider {
        static let name = "meld"
        static let mappingVersion = 2
        let inner: any Provider
        let refused: String

        struct Mapping: ElementMapping {
            let inner: any ElementMapping
            let refused: String
            var resource: String { inner.resource }
            var redaction: Redaction { inner.redaction }
            var comparison: Redaction { inner.comparison }
            var known: KnownPaths { inner.known }
            func identity(of element: JSONValue) -> RowIdentity { inner.identity(of: element) }
            func map(_ element: JSONValue) throws(RowFault) -> MappedTransaction {
                let mapped = try inner.map(element)
                if mapped.transactionID == refused { throw RowFault("refused: by this mapping", recordID: refused) }
                return mapped
            }
        }

        var declaration: Declaration { inner.declaration }
        var payments: Resource {
            Resource(
                mapping: Mapping(inner: inner.payments.mapping, refused: refused), lister: inner.payments.lister,
                reader: inner.payments.reader)
        }
        var webhooks: (any WebhookScheme)? { inner.webhooks }
    }

    private func bench(_ rows: [FakeMeld.Row]) async throws -> PollingBench {
        let bench = try PollingBench(rows)
        try await poll(bench, refusing: "P2", at: Self.night)
        return bench
    }

    private func poll(_ bench: PollingBench, refusing id: String, at now: Timestamp) async throws {
        var handle = try bench.handle()
        handle.provider = Refusing(inner: handle.provider, refused: id)
        _ = try await Poller(
            source: handle, context: bench.context(at: now), connection: bench.connection, machine: .system(),
            fetch: bench.meld.answer
        ).poll(stop: StopFlag())
    }

    private func list(_ bench: PollingBench) -> QuarantineList {
        QuarantineList(connection: bench.connection, account: 1, sql: bench.context(at: Self.night).sql)
    }

    @discardableResult
    private func retry(
        _ bench: PollingBench, hours: Int64 = 1, refusing id: String? = nil, isOffline: Bool = false
    ) async throws -> [RetryTrail.Line] {
        var handle = try bench.handle()
        if let id { handle.provider = Refusing(inner: handle.provider, refused: id) }
        let context = bench.context(at: Self.night.adding(seconds: hours * 3600))
        let entries = try list(bench).entries()
        let outcome = try await ElementRetry(
            source: handle, context: context, connection: bench.connection, machine: .system(), isOffline: isOffline,
            fetch: bench.meld.answer
        ).run(entries, stop: StopFlag())
        return try RetryTrail(context, bench.connection).close(entries, outcome, actor: "anna")
    }

    static func rows(_ ids: [String]) -> [FakeMeld.Row] {
        ids.enumerated().map { .purchase($1, night.adding(seconds: -7200 - Int64($0) * 60)) }
    }

    @Test("after a fix the kept text becomes the version it always was, and nothing is asked of the provider")
    func keptText() async throws {
        let bench = try await bench(Self.rows(["P1", "P2", "P3"]))
        #expect(try list(bench).entries().map(\.isKept) == [true])
        let asked = bench.meld.asked.count
        let lines = try await retry(bench)
        #expect(lines.map(\.isCleared) == [true])
        #expect(bench.meld.asked.count == asked)
        #expect(try bench.count("transaction", "transaction_id = 'P2'") == 1)
        #expect(try bench.count("transaction_history") == 0)
        // The time of the meeting, not of the retry, is what decides between versions without one.
        #expect(
            try bench.count("transaction", "transaction_id = 'P2' and request_started_at < observed_at") == 1)
        let events = try list(bench).events(lines[0].entry.id)
        #expect(events.map(\.event) == ["cleared"] && events.map(\.actor) == ["anna"])
    }

    @Test("what is still refused stays, is no second row, and says so in its trail; nothing else moves")
    func stillRefused() async throws {
        let bench = try await bench(Self.rows(["P1", "P2"]))
        let before = try bench.facts()
        let lines = try await retry(bench, refusing: "P2")
        #expect(lines.map(\.entry.state) == ["open"])
        #expect(lines[0].entry.lastRun > lines[0].entry.run)
        #expect(try bench.count("quarantine") == 1)
        #expect(try bench.facts() == before)
        #expect(try list(bench).events(lines[0].entry.id).map(\.event) == ["retried"])
    }

    @Test("a kept text that is older than what came since does not replace it, and leaves the quarantine")
    func older() async throws {
        let bench = try await bench(Self.rows(["P2"]))
        bench.meld.set {
            $0.rows = [.purchase("P2", $0.rows[0].createdAt, status: "REFUNDED", updatedAt: Self.night)]
        }
        // The new version is readable at once; the record was cleared by it, and is open again by hand.
        try await bench.poll(at: Self.night.adding(seconds: 1800))
        try bench.connection.execute("update tieout.quarantine set state = 'open'")
        let lines = try await retry(bench)
        #expect(lines.map(\.isCleared) == [true])
        #expect(try bench.text("select raw_status from tieout.transaction") == "REFUNDED")
        #expect(try bench.text("select raw_status from tieout.transaction_history") == "SETTLED")
    }

    @Test("where the text does not help, the record is read by its id; a retired source is not asked")
    func byID() async throws {
        let bench = try PollingBench(Self.rows(["P1"]))
        bench.meld.set { $0.rows[0].members = $0.rows[0].members.replacing("100.00", with: "{}") }
        try await bench.poll(at: Self.night)
        #expect(try list(bench).entries().map(\.recordID) == ["P1"])
        bench.meld.set { $0.rows[0].members = $0.rows[0].members.replacing("{}", with: "100.00") }
        let asked = bench.meld.asked.count
        #expect(try await retry(bench, isOffline: true).map(\.isCleared) == [false])
        #expect(bench.meld.asked.count == asked)
        #expect(try await retry(bench, hours: 2).map(\.isCleared) == [true])
        #expect(try bench.text("select charged::text from tieout.transaction") == "100")
    }

    @Test("a record that the provider does not know any more, or that has neither text nor id, is kept with the reason")
    func hopeless() async throws {
        let bench = try PollingBench(Self.rows(["P1"]))
        bench.meld.set {
            $0.rows[0].members = $0.rows[0].members.replacing("100.00", with: "{}")
            $0.extraElements = ["\"a bare text\""]
        }
        try await bench.poll(at: Self.night)
        bench.meld.set { $0.rows[0].gone = true }
        let lines = try await retry(bench)
        #expect(lines.count == 2 && lines.allSatisfy { !$0.isCleared })
        let reasons = lines.map(\.entry.reason).sorted()
        #expect(reasons.contains { $0.contains("does not know its id") }, "\(reasons)")
        #expect(reasons.contains("no text was kept"), "\(reasons)")
    }
}
