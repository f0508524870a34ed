import Crypto
import HTTP
import JSON
import Payments
import Postgres
import Providers
import Synchronization
import TestSupport

@testable import Loading

/// A Stripe source with a database of its own; each poll is one run at one ledger time.
final class StripeBench {
    let stripe = FakeStripe()
    let database: TestDatabase
    let connection: Connection
    var settings = PollSettings()
    var secrets: [Secret] = []
    private var run: Int64 = 0
    private(set) var lines: [LogLine] = []

    init() throws {
        database = try TestDatabase.make()
        connection = try database.connection()
        settings.sweep = .slice
        try connection.script("insert into tieout.account (account_id, name) values (1, 'test')")
        try connection.script(
            "insert into tieout.source (account_id, source_id, provider, environment) values "
                + "(1, 'stripe-live', 'stripe', 'live')")
    }

    func provider() throws -> Stripe {
        let library = SQLLibrary(root: Checkout.root)
        let configuration = try StripeConfiguration(
            ProviderOptions(
                environment: "live", apiBase: "https://stripe.test", apiKey: Secret("sk_live_example"),
                webhookSecrets: secrets))
        return Stripe(
            configuration: configuration,
            statusMap: try StatusMap(csv: try library.text(Catalogue.statusMapPath("stripe"))))
    }

    func context(at now: Timestamp, _ log: @escaping @Sendable (LogLine) -> Void = { _ in }) -> LoadContext {
        run += 1
        return LoadContext(
            account: 1, run: run, clock: LedgerClock(fixed: now), fence: Fence(account: 1, number: nil),
            sql: SQLLibrary(root: Checkout.root), log: log)
    }

    @discardableResult
    func poll(at now: Timestamp, stop: StopFlag = StopFlag()) async throws -> PollOutcome {
        stripe.set { $0.now = now.microseconds / 1_000_000 }
        let fake = stripe
        let heard = Heard()
        let poller = Poller(
            source: SourceHandle(id: "stripe-live", provider: try provider(), settings: settings),
            context: context(at: now) { heard.add($0) }, connection: connection, machine: .system(),
            fetch: fake.answer)
        let outcome = try await poller.poll(stop: stop)
        lines = heard.lines
        return outcome
    }

    /// Loads captured deliveries, as JSON Lines.
    @discardableResult
    func load(_ text: String, at now: Timestamp) throws -> LoadOutcome {
        let path = TemporaryFile.write(text, ending: ".jsonl")
        defer { TemporaryFile.remove(path) }
        guard let scheme = try provider().webhooks else { return LoadOutcome() }
        return try WebhookHistoryLoader(
            context(at: now), connection, sources: [WebhookSource(id: "stripe-live", scheme: scheme)]
        ).load(paths: [path])
    }

    /// One captured delivery of an event as the list shows it.
    func capture(_ event: FakeStripe.Event, received: Int64, secret: Secret) -> String {
        let body = stripe.state.withLock { FakeStripe.text(event, $0) }
        let code = HMACCode.sha256(key: secret, message: Array("\(received).\(body)".utf8))
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("receivedAt", Timestamp(seconds: received).description)
            writer.member("method", "POST")
            writer.member("url", "https://recon.example.com/hooks/stripe")
            writer.key("headers")
            writer.object { $0.member("Stripe-Signature", "t=\(received),v1=\(Hex.encode(code))") }
            writer.member("rawBody", body)
        }
        return writer.text + "\n"
    }

    /// All rows of a query, columns joined by a bar, nulls left out.
    func rows(_ sql: String) throws -> [String] {
        try connection.query("select concat_ws('|', \(sql)").map { try $0.text(0) }
    }
}

/// Collects what is logged.
private final class Heard: Sendable {
    private let state = Mutex<[LogLine]>([])
    var lines: [LogLine] { state.withLock { $0 } }
    func add(_ line: LogLine) { state.withLock { $0.append(line) } }
}
