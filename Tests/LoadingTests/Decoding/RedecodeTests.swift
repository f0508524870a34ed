import Payments
import Postgres
import Providers
import TestSupport
import Testing

@testable import Loading

@Suite("Kept bytes under another status map")
struct RedecodeTests {
    static let night = Timestamp(seconds: 1_786_413_000)
    static let next = night.adding(seconds: 86_400)

    /// A source with rows polled at `night`, whose stored records are remembered as read by reading 1.
    private func bench(_ rows: [FakeMeld.Row]) async throws -> PollingBench {
        let bench = try PollingBench(rows)
        try await bench.poll(at: Self.night)
        let context = bench.context(at: Self.night)
        for kind in [DecodingState.Kind.resource("transaction"), .event] {
            try state(bench, context, kind).remember([1], context, on: bench.connection)
        }
        return bench
    }

    private func state(_ bench: PollingBench, _ context: LoadContext, _ kind: DecodingState.Kind) throws
        -> DecodingState
    {
        try DecodingState(
            on: bench.connection, account: 1, sql: context.sql, source: bench.source, kind: kind)
    }

    /// What a run does where the reading has changed to `reading`.
    @discardableResult
    private func decode(
        _ bench: PollingBench, at now: Timestamp = next, to reading: [UInt8] = [2], batch: Int = 2000,
        stop: StopFlag = StopFlag()
    ) throws -> RedecodeCounts? {
        let context = bench.context(at: now)
        let state = try state(bench, context, .resource("transaction"))
        guard state.isBehind(reading) else { return nil }
        return try redecoder(bench, context, batch).transactions(
            bench.handle().provider.payments.mapping, from: state, to: reading, stop: stop)
    }

    private func redecoder(_ bench: PollingBench, _ context: LoadContext, _ batch: Int = 2000) throws -> Redecoder {
        Redecoder(
            context: context, connection: bench.connection, reading: try bench.database.connection(),
            source: bench.source, batchRows: batch)
    }

    /// The map with rows before it: the first that fits wins.
    private func change(_ bench: PollingBench, _ rows: String...) throws {
        let csv = try SQLLibrary(root: Checkout.root).text(Catalogue.statusMapPath("meld"))
        let header = StatusMap.columns.joined(separator: ",") + "\n"
        bench.map = try StatusMap(csv: header + rows.map { $0 + "\n" }.joined() + csv.dropFirst(header.count))
    }

    private func asOf(_ bench: PollingBench, _ moment: Timestamp) throws -> [String] {
        let current = "select transaction_id, state from tieout.transaction where observed_at <= $1"
        let earlier =
            "select transaction_id, state from tieout.transaction_history where observed_at <= $1 and superseded_at > $1"
        return try bench.connection.query("\(current) union all \(earlier) order by 1, 2", [.timestamp(moment)])
            .map { "\(try $0.text(0)) \(try $0.text(1))" }
    }

    static func rows(_ statuses: [String]) -> [FakeMeld.Row] {
        statuses.enumerated().map { index, status in
            .purchase("P\(index)", night.adding(seconds: -7200 - Int64(index) * 60), status: status)
        }
    }

    @Test("a status that a changed map knows becomes a new version; what the past knew stays; once more is nothing")
    func changed() async throws {
        let bench = try await bench(Self.rows(["SETTLED", "RETRY_SCHEDULED"]))
        #expect(try asOf(bench, Self.night) == ["P0 settled", "P1 unknown"])
        try change(bench, "RETRY_SCHEDULED,,,,,pending,10,no,none,,,,,none,a test")
        let counts = try #require(try decode(bench))
        #expect(counts.read == 2 && counts.changed == 1 && counts.quarantined == 0 && counts.unread == 0)
        #expect(try asOf(bench, Self.next) == ["P0 settled", "P1 pending"])
        #expect(try asOf(bench, Self.next.adding(seconds: -1)) == ["P0 settled", "P1 unknown"])
        #expect(try decode(bench) == nil)
        // The provider shows the same bytes again: they are known, as read now.
        let polled = try await bench.poll(at: Self.next.adding(seconds: 60))
        #expect(polled.counts.changed == 0 && polled.counts.rawOnly == 0)
        #expect(try bench.count("transaction_history") == 1)
    }

    @Test("the kept bytes say all that the mapping reads: under an unchanged map nothing changes")
    func unchanged() async throws {
        let more = """
            ,"customer":{"id":"C1","externalId":"E1","name":"x","email":"a@b.example"},"customerId":"C1",\
            "cryptoDetails":{"networkFee":1.5,"totalFee":2,"destinationWalletAddress":"bc1q","chainId":"1"},\
            "serviceProviderDetails":{"status":"ok","secret":"s"},"fiatAmountInUsd":101.5,"countryCode":"DE"
            """
        let bench = try await bench([.purchase("P1", Self.night.adding(seconds: -7200), more: more)])
        let before = try bench.facts()
        #expect(try #require(try decode(bench)).changed == 0)
        #expect(try bench.facts() == before)
    }

    @Test("the new reading counts, though the old one ranks higher")
    func lowerRank() async throws {
        let bench = try await bench(Self.rows(["SETTLED"]))
        try change(bench, "SETTLED,,,,,pending,1,no,none,,,,,none,a test")
        try decode(bench)
        #expect(try asOf(bench, Self.next) == ["P0 pending"])
        // And back again.
        bench.map = try StatusMap(csv: try SQLLibrary(root: Checkout.root).text(Catalogue.statusMapPath("meld")))
        try decode(bench, at: Self.next.adding(seconds: 60), to: [1])
        #expect(try asOf(bench, Self.next.adding(seconds: 60)) == ["P0 settled"])
        #expect(try asOf(bench, Self.next) == ["P0 pending"] && asOf(bench, Self.night) == ["P0 settled"])
    }

    @Test("earlier versions are read anew too, and are known from now on only")
    func earlier() async throws {
        let bench = try await bench(Self.rows(["RETRY_SCHEDULED"]))
        let created = Self.night.adding(seconds: -7200)
        bench.meld.set { $0.rows = [.purchase("P0", created, status: "SETTLED", updatedAt: Self.night)] }
        try await bench.poll(at: Self.night.adding(seconds: 3600))
        try change(bench, "RETRY_SCHEDULED,,,,,paid,40,no,taken,,,,,none,a test")
        let counts = try #require(try decode(bench))
        #expect(counts.read == 2 && counts.changed == 1)
        #expect(
            try bench.connection.query("select money from tieout.transaction_history order by observed_at")
                .map { try $0.text(0) } == ["unknown", "taken"])
        #expect(try asOf(bench, Self.next) == ["P0 settled"])
        #expect(try asOf(bench, Self.night) == ["P0 unknown"])
        #expect(try decode(bench, at: Self.next.adding(seconds: 60), to: [3])?.changed == 0)
    }

    @Test("a run that is stopped goes on where it stood, and reads no version twice")
    func stopped() async throws {
        let bench = try await bench(Self.rows(Array(repeating: "RETRY_SCHEDULED", count: 7)))
        try change(bench, "RETRY_SCHEDULED,,,,,pending,10,no,none,,,,,none,a test")
        let stop = StopFlag()
        stop.request()
        #expect(throws: CancellationError.self) { try decode(bench, batch: 3, stop: stop) }
        #expect(try bench.count("transaction", "state = 'pending'") == 3)
        let counts = try #require(try decode(bench, at: Self.next.adding(seconds: 60), batch: 3))
        // The three that were rewritten lie in a later pack now: they are looked at, and are what they should be.
        #expect(counts.changed == 4)
        #expect(try bench.count("transaction", "state = 'pending'") == 7)
        #expect(try bench.count("transaction_history") == 7)
    }

    @Test("where the bytes are gone the provider's next answer counts as news; a row that keeps its bytes does not")
    func bytesGone() async throws {
        let bench = try await bench(Self.rows(["RETRY_SCHEDULED"]))
        try bench.connection.execute("delete from tieout.evidence")
        try change(bench, "RETRY_SCHEDULED,,,,,pending,10,no,none,,,,,none,a test")
        let counts = try #require(try decode(bench))
        #expect(counts.unread == 1 && counts.changed == 0)
        let context = bench.context(at: Self.next)
        #expect(try state(bench, context, .resource("transaction")).unread == 1)
        let mapping = try bench.handle().provider.payments.mapping
        #expect(try redecoder(bench, context).unread(mapping) == ["P0"])
        try await bench.poll(at: Self.next.adding(seconds: 60), rereads: ["P0"])
        #expect(try asOf(bench, Self.next.adding(seconds: 60)) == ["P0 pending"])
        #expect(try redecoder(bench, context).unread(mapping) == [])
        #expect(try bench.count("evidence") == 1)
    }

    @Test("bytes that the new mapping cannot read go to quarantine, stay there, and keep their older reading")
    func refused() async throws {
        let bench = try await bench(Self.rows(["SETTLED", "SETTLED"]))
        let context = bench.context(at: Self.next)
        let mapping = ElementRetryTests.Refusing(inner: try bench.handle().provider, refused: "P1").payments.mapping
        let counts = try redecoder(bench, context).transactions(
            mapping, from: state(bench, context, .resource("transaction")), to: [2], stop: StopFlag())
        #expect(counts.quarantined == 1 && counts.changed == 0)
        #expect(try bench.text("select record_id from tieout.quarantine where state = 'open'") == "P1")
        #expect(try asOf(bench, Self.next) == ["P0 settled", "P1 settled"])
    }

    @Test("events are read anew, and the past keeps its own reading")
    func events() async throws {
        let bench = try await bench([])
        let body = Capture.body("E1", "T1", "RETRY_SCHEDULED", second: 0)
        let path = TemporaryFile.write(Capture.line(body, received: 5) + "\n", ending: ".jsonl")
        defer { TemporaryFile.remove(path) }
        _ = try WebhookHistoryLoader(
            bench.context(at: Self.night), bench.connection, sources: [try Capture.source()]
        ).load(paths: [path])
        try change(bench, "RETRY_SCHEDULED,,,,,pending,10,no,none,,,,,none,a test")
        let context = bench.context(at: Self.next)
        func run(to reading: [UInt8], at context: LoadContext) throws -> RedecodeCounts {
            try redecoder(bench, context).events(
                MeldWebhooks(secrets: [], statusMap: bench.map), from: state(bench, context, .event), to: reading,
                stop: StopFlag())
        }
        let counts = try run(to: [2], at: context)
        #expect(counts.read == 1 && counts.changed == 1)
        let states = "select state from tieout.webhook_event union all select state from tieout.webhook_event_history"
        #expect(try bench.connection.query(states).map { try $0.text(0) } == ["pending", "unknown"])
        #expect(try bench.text("select flags::text from tieout.webhook_event") == "{}")
        #expect(try run(to: [3], at: bench.context(at: Self.next.adding(seconds: 60))).changed == 0)
        let ended = "select count(*) from tieout.webhook_event_history where superseded_at = $1"
        #expect(try bench.connection.query(ended, [.timestamp(Self.next)]).only().int(0) == 1)
    }
}
