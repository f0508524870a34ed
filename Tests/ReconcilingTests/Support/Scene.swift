import Payments
import Postgres
import Reconciling
import TestSupport

/// One account on a real database: facts are put in by small builders, then a run judges them.
final class Scene {
    static let account: Int64 = 7
    let database: TestDatabase
    let connection: Connection
    let library = SQLLibrary(root: Checkout.root)
    var run: Int64 = 0
    var terms = [Term(amount: 2, unit: .businessDays)]
    var tolerances = Tolerances()
    var serial = 0

    /// An account in UTC with a source `meld-live` whose three feeds reach up to `reach`, from the beginning of the year.
    init(reach: String = "2026-01-20T12:00:00Z", events: [String] = ["SETTLED", "FAILED"]) throws {
        database = try TestDatabase.make(templateName: "reconciling") { try ReferenceData.load(on: $0, root: $1) }
        connection = try database.connection()
        try connection.execute(
            "insert into tieout.account (account_id, name) values ($1, 'test')", [.int(Self.account)])
        try source("meld-live", events: events)
        for feed in ["provider", "webhook", "book"] { try self.feed(feed, reach: reach) }
    }

    func source(
        _ id: String, provider: String = "meld", beneath: String? = nil, succeeds: String? = nil,
        settlesTo: String = "customer", events: [String] = [], environment: String = "live", life: String = "active",
        maxAge: Int? = nil, creditPolicy: String = "on_paid", names: String = "{}",
        settledByLines: Bool = false
    ) throws {
        let lines = settledByLines ? ",\"settled_by_lines\":true" : ""
        let states = events.map { "\"\($0)\"" }.joined(separator: ",")
        try insert(
            "tieout.source",
            [
                ("account_id", .int(Self.account)), ("source_id", .text(id)), ("provider", .text(provider)),
                ("environment", .text(environment)), ("life", .text(life)), ("beneath", .text(beneath)),
                ("succeeds", .text(succeeds)), ("settles_to", .text(settlesTo)),
                (
                    "declaration",
                    .json(
                        "{\"event_states\":[\(states)],\"provider_names\":\(names),\"credit_policy\":\"\(creditPolicy)\"\(lines)\(maxAge.map { ",\"max_age\":\($0)" } ?? "")}"
                    )
                ),
            ])
    }

    func feed(
        _ feed: String, source: String = "meld-live", reach: String, from: String? = "2026-01-01T00:00:00Z",
        baseline: Int64? = nil, failingSince: String? = nil, failure: String? = nil, success: String? = nil,
        attempt: String? = nil, pages: Int = 0
    ) throws {
        try connection.execute(
            "delete from tieout.feed_state where account_id = $1 and source_id = $2 and feed = $3",
            [.int(Self.account), .text(source), .text(feed)])
        try insert(
            "tieout.feed_state",
            [
                ("account_id", .int(Self.account)), ("source_id", .text(source)), ("feed", .text(feed)),
                ("covered_from", .timestamp(from.map(at))), ("watermark", .timestamp(at(reach))),
                ("baseline_run_id", .int(baseline)), ("failing_since", .timestamp(failingSince.map(at))),
                ("failure", .text(failure)), ("last_success_at", .timestamp(success.map(at))),
                ("last_attempt_at", .timestamp(attempt.map(at))), ("counters", .json("{\"pages\":\(pages)}")),
            ])
    }

    /// A transaction of direction `in`, whose status comes with an event; `charged` in USD unless said otherwise. Replaces a version that is there.
    /// `readAt`: it has no time of its last change, and was read then.
    func transaction(
        _ id: String, source: String = "meld-live", status: String = "SETTLED", state: String = "settled",
        money: String = "delivered", charged: String? = "100", currency: String = "USD",
        created: String = "2026-01-10T10:00:00Z", updated: String? = nil, takenAt: String? = nil,
        refs: [String] = [], customer: String? = nil, returned: String? = nil, afterHeld: String? = nil,
        afterTaken: String? = nil, afterDelivered: String? = nil, delivered: String? = nil,
        deliveredCurrency: String? = nil, fee: String? = nil, wallet: String? = nil,
        flags: [String] = ["event_expected"],
        direction: String = "in", method: String? = nil, table: String = "tieout.transaction",
        superseded: String? = nil,
        rank: Int64 = 1, isFinal: Bool? = nil, isTest: Bool = false, carrier: String? = nil,
        resource: String = "transaction", parent: String? = nil, tag: String? = nil, readAt: String? = nil
    ) throws {
        serial += 1
        if superseded == nil {
            try connection.execute(
                "delete from tieout.transaction where account_id = $1 and source_id = $2 and resource = $3 and transaction_id = $4",
                [.int(Self.account), .text(source), .text(resource), .text(id)])
        }
        let version = at(readAt ?? updated ?? created)
        let own = resource == "transaction" ? ["meld:transaction=\(id)"] : []
        let all = Array(Set(refs + own)).sorted()
        var row: [(String, SQLValue)] = [
            ("account_id", .int(Self.account)), ("source_id", .text(source)), ("resource", .text(resource)),
            ("parent_id", .text(parent)),
            ("transaction_id", .text(id)), ("run_id", 1), ("observed_at", .timestamp(version)),
            ("request_started_at", .timestamp(version)), ("version_time", .timestamp(version)),
            ("state_rank", .int(rank)),
            ("created_at", .timestamp(at(created))), ("updated_at", .timestamp(readAt == nil ? version : nil)),
            ("is_test", .bool(isTest)),
            ("direction", .text(direction)), ("raw_status", .text(status)), ("state", .text(state)),
            ("money", .text(money)), ("after_held", .text(afterHeld)), ("after_taken", .text(afterTaken)),
            ("after_delivered", .text(afterDelivered)), ("is_final", .bool(isFinal ?? (state == "settled"))),
            ("taken_at", .timestamp(takenAt.map(at))), ("charged", decimal(charged)),
            ("charged_currency", .text(currency)), ("returned", decimal(returned)), ("delivered", decimal(delivered)),
            ("delivered_currency", .text(deliveredCurrency)), ("fee_total", decimal(fee)),
            ("fee_currency", .text(fee == nil ? nil : currency)), ("customer_id", .text(customer)),
            ("wallet_address", .text(wallet)), ("wallet_tag", .text(tag)), ("provider", .text(carrier)),
            ("payment_method", .text(method)), ("refs", .textArray(all)),
            ("flags", .textArray(flags)), ("evidence_pack", 1), ("evidence_offset", 0), ("evidence_length", 0),
            ("raw_hash", hash(serial)), ("content_hash", hash(serial)),
        ]
        if let superseded { row.append(("superseded_at", .timestamp(at(superseded)))) }
        try insert(superseded == nil ? table : "tieout.transaction_history", row)
    }

    /// An order of the book; `amount` in USD unless said otherwise. Replaces a version that is there.
    func order(
        _ id: String, source: String = "meld-live", status: String = "credited", amount: String = "100",
        currency: String = "USD", created: String = "2026-01-10T09:59:00Z", updated: String? = nil,
        expires: String? = nil, refs: [String] = [], key: String? = nil, receives: String? = nil,
        receivesCurrency: String? = nil, direction: String = "in", transaction: String? = nil
    ) throws {
        serial += 1
        try connection.execute(
            "delete from tieout.book_order where account_id = $1 and order_id = $2", [.int(Self.account), .text(id)])
        try insert(
            "tieout.book_order",
            [
                ("account_id", .int(Self.account)), ("order_id", .text(id)), ("source_id", .text(source)),
                ("run_id", 1), ("observed_at", .timestamp(at(created))),
                ("request_started_at", .timestamp(at(created))), ("version_time", .timestamp(at(updated ?? created))),
                ("state_rank", 1), ("status", .text(status)), ("direction", .text(direction)),
                ("amount", decimal(amount)), ("currency", .text(currency)), ("created_at", .timestamp(at(created))),
                ("updated_at", .timestamp(updated.map(at))), ("provider_transaction_id", .text(transaction)),
                ("expires_at", .timestamp(expires.map(at))), ("idempotency_key", .text(key)),
                ("destination_amount", decimal(receives)), ("destination_currency", .text(receivesCurrency)),
                ("refs", .textArray((refs + ["book:order=\(id)"]).sorted())), ("file_digest", hash(1)),
                ("line_no", .int(serial)), ("content_hash", hash(serial)),
            ])
    }

    /// An event about a transaction, of `meld-live` unless said otherwise.
    func event(
        _ key: String, of transaction: String, status: String, state: String, money: String?,
        time: String = "2026-01-10T10:05:00Z", verdict: String = "valid", refs: [String] = [], run: Int64 = 1,
        source: String = "meld-live", rank: Int64 = 1, observed: String? = nil, isTest: Bool = false,
        flags: [String] = []
    ) throws {
        try insert(
            "tieout.webhook_event",
            [
                ("account_id", .int(Self.account)), ("source_id", .text(source)), ("event_key", .text(key)),
                ("run_id", .int(run)), ("observed_at", .timestamp(at(observed ?? time))), ("kind", "TRANSACTION"),
                ("is_test", .bool(isTest)),
                ("transaction_id", .text(transaction)), ("raw_status", .text(status)), ("state", .text(state)),
                ("state_rank", .int(rank)), ("money", .text(money)), ("direction", "in"),
                ("event_time", .timestamp(at(time))),
                ("first_received_at", .timestamp(at(time))), ("last_received_at", .timestamp(at(time))),
                ("deliveries", 1), ("verdict", .text(verdict)),
                ("refs", .textArray((refs + ["meld:transaction=\(transaction)"]).sorted())),
                ("flags", .textArray(flags)), ("body_digest", hash(1)), ("kept_digest", hash(1)),
            ])
    }

    /// A record of a feed, of `meld-live` unless said otherwise, that could not be taken in.
    func quarantine(
        _ record: String?, feed: String = "provider", source: String = "meld-live", refs: [String] = []
    ) throws {
        serial += 1
        try insert(
            "tieout.quarantine",
            [
                ("account_id", .int(Self.account)), ("source_id", .text(source)), ("feed", .text(feed)),
                ("quarantine_id", .text("Q\(serial)")), ("run_id", 1), ("last_run_id", 1),
                ("observed_at", .timestamp(at("2026-01-11T00:00:00Z"))), ("reason", "type_changed: fee int->object"),
                ("record_id", .text(record)), ("refs", .textArray(refs)), ("place", "page 1"), ("length", 1),
                ("digest", hash(serial)),
            ])
    }

    /// Judges everything at `moment`: scenes put facts in by hand, and not in the order in which they became known. Not
    /// `isFull`: only what became known since the run before, as a night does.
    @discardableResult
    func reconcile(at moment: String = "2026-01-20T12:00:00Z", isFull: Bool = true) throws -> ReconcileOutcome {
        run += 1
        return try Reconciler(connection: connection, context: context(moment, isFull: isFull)).run()
    }

    func context(_ moment: String, isFull: Bool = true) -> ReconcileContext {
        ReconcileContext(
            account: Self.account, run: run, asOf: at(moment), clock: LedgerClock(fixed: at(moment)),
            fenceCheck: { _ in }, sql: library, terms: terms, tolerances: tolerances, isFull: isFull)
    }

    var store: BreakStore { BreakStore(connection: connection, library: library, account: Self.account) }

    /// Breaks that are open or acknowledged, as `rule subject severity`. Where a test is about one side, it leaves out
    /// what the missing other side raises: `without`.
    func breaks(without rules: String...) throws -> [String] {
        try store.list().filter { !rules.contains($0.rule) }.map { "\($0.rule) \($0.subject) \($0.severity.rawValue)" }
    }

    /// The headlines among them, those whose subject begins with `start`.
    func headlines(_ start: String = "") throws -> [String] {
        try store.list().filter { $0.primaryBreak == nil && $0.subject.hasPrefix(start) }
            .map { "\($0.rule) \($0.subject)" }
    }

    func only(without rules: String...) throws -> Break {
        let all = try store.list().filter { !rules.contains($0.rule) }
        guard all.count == 1 else { throw Surprise(text: "one break was expected, there are \(all.map(\.subject))") }
        return all[0]
    }

    /// Breaks of one rule that are open or acknowledged, and the only one of it.
    func found(_ rule: String) throws -> [Break] { try store.list().filter { $0.rule == rule } }
    func only(_ rule: String) throws -> Break {
        let all = try found(rule)
        guard all.count == 1 else { throw Surprise(text: "one \(rule) was expected: \(all.map(\.subject))") }
        return all[0]
    }

    /// What comes before every month is kept too.
    func keepHistory() throws {
        try connection.execute(
            "create table tieout.transaction_history_all partition of tieout.transaction_history default")
    }

    struct Surprise: Error { let text: String }

    func insert(_ table: String, _ row: [(String, SQLValue)]) throws {
        let present = row.filter { $0.1 != .null }
        let names = present.map(\.0).joined(separator: ", ")
        let places = present.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        try connection.execute("insert into \(table) (\(names)) values (\(places))", present.map(\.1))
    }

    func decimal(_ text: String?) -> SQLValue { .decimal(text.flatMap { try? ExactDecimal($0) }) }
    func hash(_ number: Int) -> SQLValue {
        .bytes((0..<16).map { UInt8(truncatingIfNeeded: number >> ($0 % 8)) })
    }
}

/// A moment that a test writes as text.
func at(_ text: String) -> Timestamp { Timestamp(text) ?? Timestamp(seconds: 0) }
