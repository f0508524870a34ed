import FoundationEssentials
import Payments
import Postgres
import TestSupport
import Testing

@testable import Loading

@Suite("Quarantined lines of files, tried again")
struct FileRetryTests {
    let fixture: FileFixture
    static let header = "order_id,source,status,amount,currency,created_at"

    init() throws { fixture = try FileFixture() }

    private var list: QuarantineList {
        QuarantineList(connection: fixture.connection, account: 1, sql: SQLLibrary(root: Checkout.root))
    }

    private func close(_ outcome: RetryOutcome, _ context: LoadContext, _ tried: [QuarantineList.Entry]) throws
        -> [String]
    {
        try RetryTrail(context, fixture.connection).close(tried, outcome, actor: "anna")
            .map { $0.isCleared ? "taken in" : $0.entry.reason }
    }

    private func retryBook(_ paths: [String], hours: Int64 = 9) throws -> [String] {
        let context = fixture.context(hours: hours)
        let tried = try list.entries()
        let outcome = try FileRetry(context, fixture.connection, feed: .book)
            .run(tried, paths: paths, stop: StopFlag()) { path, moment in
                _ = try BookLoader(context, fixture.connection)
                    .load(path: path, options: BookOptions(exportedAt: moment), again: true)
            }
        return try close(outcome, context, tried)
    }

    @Test("an order of a source that was not configured is taken in once it is; what came later stays current")
    func book() throws {
        let first = try fixture.write(
            "\(Self.header)\nA-1,meld-live,open,10,EUR,2026-08-10T12:00:00Z\nA-2,late,paid,20,EUR,2026-08-10T12:00:00Z\n",
            to: "first.csv")
        let second = try fixture.write(
            "\(Self.header)\nA-1,meld-live,paid,10,EUR,2026-08-10T12:00:00Z\n", to: "second.csv")
        _ = try BookLoader(fixture.context(), fixture.connection).load(path: first)
        _ = try BookLoader(fixture.context(hours: 1), fixture.connection).load(path: second)
        #expect(try list.entries().map(\.reason) == ["source: not configured"])
        #expect(try retryBook([first, second]) == ["source: not configured"])
        try fixture.connection.execute(
            "insert into tieout.source (account_id, source_id, provider, environment) values (1, 'late', 'meld', 'live')"
        )
        #expect(try retryBook([first, second], hours: 10) == ["taken in"])
        #expect(try fixture.rows("order_id, status) from tieout.book_order order by 1") == ["A-1|paid", "A-2|paid"])
        #expect(try fixture.count("book_order_history") == 1)
    }

    @Test("a record whose file is gone or was changed is kept, and says what to do")
    func bookFileGone() throws {
        let text = "\(Self.header)\nA-1,meld-live,paid,x,EUR,2026-08-10T12:00:00Z\n"
        let path = try fixture.write(text, to: "orders.csv")
        _ = try BookLoader(fixture.context(), fixture.connection).load(path: path)
        #expect(try retryBook([]) == ["the file orders.csv is not among the inputs"])
        _ = try fixture.write(text.replacing(",x,", with: ",9,"), to: "orders.csv")
        let reasons = try retryBook([path], hours: 10)
        #expect(reasons.count == 1 && reasons[0].contains("has changed since"), "\(reasons)")
        #expect(try fixture.count("book_order") == 0)
    }

    @Test("a delivery to an address that no source had is taken in once one has it, with its coverage")
    func delivery() throws {
        let other = "https://recon.example.com/hooks/new"
        let good = Capture.line(Capture.body("E1", "T1", "SETTLED", second: 0), received: 5)
        let lost = Capture.line(Capture.body("E2", "T2", "SETTLED", second: 0), received: 9, url: other)
        let path = try fixture.write(good + "\n" + lost + "\nnonsense\n", to: "capture.jsonl")
        _ = try WebhookHistoryLoader(fixture.context(), fixture.connection, sources: [try Capture.source()])
            .load(paths: [path])
        #expect(try list.entries().count == 2)
        let widened = WebhookSource(id: "meld-live", scheme: try Capture.scheme(), urls: [Capture.url, other])
        let tried = try list.entries()
        let context = fixture.context(hours: 1)
        let outcome = try DeliveryRetry(context, fixture.connection, sources: [widened])
            .run(tried, paths: [fixture.folder], stop: StopFlag())
        let result = try close(outcome, context, tried).sorted()
        #expect(result.count == 2 && result[0].hasPrefix("line: no JSON") && result[1] == "taken in", "\(result)")
        #expect(
            try fixture.rows("event_key, verdict) from tieout.webhook_event order by 1") == ["E1|valid", "E2|valid"])
        #expect(
            try fixture.rows("watermark = '\(Capture.time(9))') from tieout.feed_state where feed = 'webhook'") == ["t"]
        )
        #expect(try list.entries().count == 1)
    }

    @Test("a line that is another one now is not taken for the quarantined one")
    func changedLine() throws {
        let path = try fixture.write("nonsense\n", to: "capture.jsonl")
        let sources = [try Capture.source()]
        _ = try WebhookHistoryLoader(fixture.context(), fixture.connection, sources: sources).load(paths: [path])
        let good = Capture.line(Capture.body("E1", "T1", "SETTLED", second: 0), received: 5)
        _ = try fixture.write(good + "\n", to: "capture.jsonl")
        let tried = try list.entries()
        let context = fixture.context(hours: 1)
        let outcome = try DeliveryRetry(context, fixture.connection, sources: sources)
            .run(tried, paths: [path], stop: StopFlag())
        #expect(try close(outcome, context, tried) == ["the line is no longer in a file capture.jsonl"])
        #expect(try fixture.count("webhook_event") == 0)
    }

    @Test("records are found by feed, source, words of the reason and the time they became known")
    func filters() throws {
        let rows = [
            "A-1,meld-live,paid,x,EUR,2026-08-10T12:00:00Z", "A-2,meld-two,paid,1,EUR,yesterday",
        ]
        for (index, row) in rows.enumerated() {
            let path = try fixture.write("\(Self.header)\n\(row)\n", to: "\(index).csv")
            _ = try BookLoader(fixture.context(hours: Int64(index)), fixture.connection).load(path: path)
        }
        func found(_ change: (inout QuarantineList.Filter) -> Void) throws -> [String?] {
            var filter = QuarantineList.Filter()
            change(&filter)
            return try list.entries(filter).map(\.recordID)
        }
        #expect(try found { _ in } == ["A-1", "A-2"])
        #expect(try found { $0.source = "meld-two" } == ["A-2"])
        #expect(try found { $0.reason = "NOT A number" } == ["A-1"])
        #expect(try found { $0.since = FileFixture.start.adding(seconds: 60) } == ["A-2"])
        #expect(try found { $0.feed = .webhook } == [])
        #expect(try found { $0.reason = "100%" } == [])
    }
}
