import JSON
import Payments
import Providers
import Testing

@testable import Loading

@Suite("What records of several resources are called in quarantine")
struct RecordNameTests {
    private static let night = Timestamp(seconds: 1_786_413_000)

    /// Stores one element of a resource; `refusing`: its mapping refuses it.
    private func store(_ resource: String, _ bench: PollingBench, amount: String, refusing: Bool) throws {
        let inner = try LegMapping(resource)
        let mapping = ElementRetryTests.Refusing.Mapping(inner: inner, refused: refusing ? "X1" : "")
        let context = bench.context(at: Self.night)
        let store = try TransactionStore(
            connection: bench.connection, context: context, source: bench.source, mapping: mapping)
        let text = """
            {"id":"X1","at":"2026-08-10T12:00:00Z","status":"refunded","amount":"\(amount)","kind":"\(resource)"}
            """
        let element = try JSONDocument(text).root
        let row = IncomingRow(
            element: element, identity: mapping.identity(of: element), mapping: mapping,
            requestStartedAt: context.clock.now(), place: "\(resource) page 1")
        try store.commit(CommitGroup(rows: [row]))
    }

    private func open(_ bench: PollingBench) throws -> [String] {
        try QuarantineWriter(bench.context(at: Self.night))
            .openIDs(source: bench.source, feed: .provider, on: bench.connection).sorted()
    }

    @Test("a refund and a payment of one id are two records: what one of them brings takes the other out of nothing")
    func names() throws {
        let bench = try PollingBench()
        for resource in ["transaction", "refund"] { try store(resource, bench, amount: "1", refusing: true) }
        #expect(try open(bench) == ["X1", "refund/X1"])
        try store("refund", bench, amount: "2", refusing: false)
        #expect(try open(bench) == ["X1"])
        try store("transaction", bench, amount: "2", refusing: false)
        #expect(try open(bench).isEmpty)
    }

    @Test("a record's name says its id again, and an id with a stroke in it stays one")
    func back() {
        for (id, resource, name) in [
            ("R1", "refund", "refund/R1"), ("T1", "transaction", "T1"), ("refund/1", "transaction", "refund/1"),
        ] {
            #expect(RecordName.of(id, resource: resource) == name && RecordName.id(name, resource: resource) == id)
        }
    }
}
