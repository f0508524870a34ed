import Crypto
import HTTP
import Payments
import Postgres
import Providers
import Synchronization
import TestSupport
import Testing

@testable import Loading

/// A provider whose list shows finished transactions alone, and whose customers have lists of their own, in pages.
@Suite("Lists that do not show everything")
struct CustomerListTests {
    /// Answers by what stands in the path; each is asked for as often as it is.
    final class Answers: Sendable {
        private let state = Mutex<(texts: [String: String], asked: [String])>(([:], []))

        var asked: [String] { state.withLock { $0.asked } }
        func set(_ place: String, _ text: String) { state.withLock { $0.texts[place] = text } }

        func answer(_ request: HTTPRequest, _ expected: Set<Int>) throws(HTTPError) -> HTTPResponse {
            let text = state.withLock { state -> String? in
                state.asked.append(request.url)
                // The longest place that fits: a page behind the first names more.
                let fitting = state.texts.keys.filter { request.url.contains($0) }
                return fitting.max { $0.utf8.count < $1.utf8.count }.flatMap { state.texts[$0] }
            }
            let body = HTTPBody(Array((text ?? "{}").utf8))
            return HTTPResponse(status: text == nil ? 404 : 200, headers: HTTPHeaders([]), body: body)
        }
    }

    let bench: PollingBench
    let answers = Answers()
    static let night = Timestamp.at("2026-08-10T02:30:00Z")

    init() throws { bench = try PollingBench() }

    private func poll(at now: Timestamp) async throws -> PollOutcome {
        let map = try SQLLibrary(root: Checkout.root).text(Catalogue.statusMapPath("coinbase"))
        let configuration = try CoinbaseConfiguration(
            ProviderOptions(
                environment: "live", apiKey: Secret("key"),
                // Any 32 bytes are a key.
                secrets: ["api_secret": Secret(Base64.encode([UInt8](1...32)))], options: ["page_size": "2"]))
        let coinbase = Coinbase(configuration: configuration, statusMap: try StatusMap(csv: map))
        let poller = Poller(
            source: SourceHandle(id: "coinbase-live", provider: coinbase, settings: bench.settings),
            context: bench.context(at: now), connection: bench.connection, machine: .system(),
            fetch: { [answers] request, expected async throws(HTTPError) in try answers.answer(request, expected) })
        return try await poller.poll(stop: StopFlag())
    }

    private static func row(_ id: String, _ status: String, customer: String = "cust-1", minute: Int) -> String {
        #"{"transaction_id":"\#(id)","status":"ONRAMP_TRANSACTION_STATUS_\#(status)","partner_user_ref":"\#(customer)","created_at":"2026-08-09T12:\#(10 + minute):00Z"}"#
    }

    private static func page(_ rows: [String], next: String = "") -> String {
        #"{"transactions":[\#(rows.joined(separator: ","))],"next_page_key":"\#(next)"}"#
    }

    /// An order of the book that waits for a payment of a customer.
    private func order(_ id: String, customer: String = "cust-1") throws {
        try bench.connection.execute(
            "insert into tieout.book_order (account_id, order_id, run_id, observed_at, request_started_at, version_time, "
                + "state_rank, source_id, status, amount, currency, direction, created_at, customer_id, refs, file_digest, "
                + "line_no, content_hash) values (1, $1, 1, $2, $2, $2, 1, 'coinbase-live', 'pending', 10, 'USD', 'in', "
                + "$2, $3, array['book:order=' || $1], '', 1, '')",
            [.text(id), .timestamp(Self.night.adding(seconds: -7200)), .text(customer)])
    }

    @Test("open transactions come from the customer's list, page by page, and that the other omits them says nothing")
    func open() async throws {
        try order("A-1")
        answers.set("/buy/transactions?", Self.page([Self.row("T1", "SUCCESS", customer: "cust-9", minute: 9)]))
        answers.set(
            "/user/cust-1/transactions?",
            Self.page([Self.row("T5", "CREATED", minute: 5), Self.row("T4", "IN_PROGRESS", minute: 4)], next: "second"))
        answers.set(
            "/user/cust-1/transactions?page_size=2&page_key=second",
            Self.page([Self.row("T4", "IN_PROGRESS", minute: 4), Self.row("T3", "FAILED", minute: 3)]))
        let first = try await poll(at: Self.night)
        #expect(first.ending == .complete)
        #expect(try bench.count("transaction") == 4)
        #expect(try bench.count("transaction", "transaction_id = 'T3' and is_final") == 1)

        // The next night nothing has changed; what is open is asked for again, by its customer, once for all.
        let before = answers.asked.count
        let second = try await poll(at: Self.night.adding(seconds: 86_400))
        #expect(second.ending == .complete)
        #expect(second.omittedByList > 0)
        #expect(try bench.count("transaction_history") == 0)
        #expect(answers.asked.dropFirst(before).count { $0.contains("/user/cust-1/") } == 2)

        // It ends: a new version of the same row.
        answers.set("/user/cust-1/transactions?page_size=2&page_key=second", Self.page([]))
        answers.set(
            "/user/cust-1/transactions?",
            Self.page([Self.row("T5", "CREATED", minute: 5), Self.row("T4", "SUCCESS", minute: 4)], next: "second"))
        _ = try await poll(at: Self.night.adding(seconds: 2 * 86_400))
        #expect(try bench.count("transaction", "transaction_id = 'T4' and money = 'delivered'") == 1)
        #expect(try bench.count("transaction_history", "transaction_id = 'T4' and money = 'held'") == 1)
    }

    @Test("pages that never end are cut off, and what they did not show is not called missing")
    func endless() async throws {
        try order("A-1")
        answers.set("/buy/transactions?", Self.page([]))
        answers.set("/user/cust-1/transactions?", Self.page([Self.row("T1", "CREATED", minute: 1)], next: "a"))
        answers.set(
            "/user/cust-1/transactions?page_size=2&page_key=a",
            Self.page([Self.row("T2", "CREATED", minute: 2)], next: "b"))
        answers.set(
            "/user/cust-1/transactions?page_size=2&page_key=b",
            Self.page([Self.row("T3", "CREATED", minute: 3)], next: "a"))
        let outcome = try await poll(at: Self.night)
        #expect(outcome.ending != .complete)
        #expect(try bench.count("transaction") == 3)
    }

    @Test("an answer of no use sets aside all that was asked for with it, and nothing of another customer's")
    func unread() async throws {
        try order("A-1")
        try order("A-2", customer: "cust-2")
        answers.set("/buy/transactions?", Self.page([]))
        let open = [Self.row("T1", "IN_PROGRESS", minute: 1), Self.row("T2", "IN_PROGRESS", minute: 2)]
        answers.set("/user/cust-1/", Self.page(open))
        answers.set("/user/cust-2/", Self.page([Self.row("T3", "IN_PROGRESS", customer: "cust-2", minute: 3)]))
        #expect(try await poll(at: Self.night).ending == .complete)
        answers.set("/user/cust-1/", "<html>")
        #expect(try await poll(at: Self.night.adding(seconds: 86_400)).ending == .complete)
        let named =
            "select coalesce(record_id, array_to_string(refs, ',')) || ' ' || state from tieout.quarantine order by 1"
        #expect(
            try bench.connection.query(named).map { try $0.text(0) } == ["T1 open", "T2 open", "book:order=A-1 open"])
        answers.set("/user/cust-1/", Self.page(open))
        #expect(try await poll(at: Self.night.adding(seconds: 2 * 86_400)).ending == .complete)
        #expect(try bench.count("quarantine", "state = 'open'") == 0)
    }

    @Test("a customer's reference that is an address stands nowhere in what is stored")
    func personal() async throws {
        let row = Self.row("T1", "SUCCESS", customer: "jane@example.com", minute: 1)
        answers.set("/buy/transactions?", Self.page([row]))
        _ = try await poll(at: Self.night)
        #expect(try bench.count("transaction", "customer_id is null and flags @> array['customer_not_opaque']") == 1)
        let kept = try bench.connection.query("select body from tieout.evidence").map { try $0.bytes(0) }
        #expect(!kept.isEmpty)
        // Packs are compressed: the bytes as they were kept are as long as they are with a mask in its place.
        let length = try bench.connection.query("select evidence_length from tieout.transaction").only().int(0)
        #expect(length == Int64(row.replacing("jane@example.com", with: "@").utf8.count))
    }
}
