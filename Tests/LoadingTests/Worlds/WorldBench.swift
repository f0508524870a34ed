import FoundationEssentials
import JSON
import Payments
import Postgres
import Providers
import Reconciling
import TestSupport

@testable import Loading

/// One database in which several accounts live through the same worlds, each in its own way.
final class WorldBench {
    /// Sources whose orders and events come too.
    static let heard = ["meld-live", "meld-two"]
    /// Settles to the merchant; shows refunds, disputes, settlement lines and payouts.
    static let settling = "push-live"
    static let sources = heard + ["mercuryo-live", "meld-next", settling]
    private static let legs = ["transaction", "refund", "dispute", "settlement_line", "payout"]
    private static let lines =
        "settlement_id,payout_id,reference,type,gross,fee,tax,other,net,currency,transaction_amount,transaction_currency,fx_rate,settled_on,segment"

    let database: TestDatabase
    let connection: Connection
    let library = SQLLibrary(root: Checkout.root)
    private let folder: String
    /// Meld's, with the reference tables read once.
    private let mapping: any ElementMapping

    init() throws {
        database = try TestDatabase.make(templateName: "reconciling") { try ReferenceData.load(on: $0, root: $1) }
        connection = try database.connection()
        let map = try StatusMap(csv: try library.text(Catalogue.statusMapPath("meld")))
        let currencies = try CurrencyTable(currencies: try library.text(Catalogue.currenciesPath))
        let configuration = try MeldConfiguration(
            ProviderOptions(environment: "live", apiBase: "http://meld.test", apiKey: Secret("W1:key"), options: [:]))
        mapping = Meld(configuration: configuration, statusMap: map, currencies: currencies).payments.mapping
        folder = FileManager.default.temporaryDirectory.appending(path: "tieout-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let span = SmallWorld.start.adding(seconds: -40 * 86_400)...SmallWorld.start.adding(seconds: 40 * 86_400)
        let tables = ["transaction", "book_order", "settlement_line", "payout", "control_total"].map { $0 + "_history" }
        for table in tables + ["webhook_delivery"] {
            try HistoryPartitions.ensure(on: connection, table: table, covering: span)
        }
    }

    deinit {
        database.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    func add(account: Int64) throws {
        try connection.execute(
            "insert into tieout.account (account_id, name) values ($1, 'a' || $1::text)", [.int(account)])
        for source in Self.sources {
            let declaration = "{\"event_states\":[\"SETTLED\",\"FAILED\",\"REFUNDED\"]}"
            try connection.execute(
                "insert into tieout.source (account_id, source_id, provider, environment, declaration, beneath, succeeds, settles_to) values ($1, $2, $4, 'live', $3::jsonb, $5, $6, $7)",
                [
                    .int(account), .text(source), .text(declaration),
                    .text(source == "mercuryo-live" ? "mercuryo" : source == Self.settling ? "push" : "meld"),
                    .text(source == "mercuryo-live" ? "meld-live" : nil),
                    .text(source == "meld-next" ? "meld-two" : nil),
                    .text(source == Self.settling ? "merchant" : "customer"),
                ])
        }
    }

    /// What arrives in one night, one file or commit group after another; `now` is the night's ledger time.
    func load(_ facts: [WorldFact], account: Int64, run: Int64, now: Timestamp, pieces: Int) throws {
        let context = LoadContext(
            account: account, run: run, clock: LedgerClock(fixed: now), fence: Fence(account: account, number: nil),
            sql: library, log: { _ in })
        let size = max(1, (facts.count + pieces - 1) / pieces)
        for start in stride(from: 0, to: facts.count, by: size) {
            let piece = facts[start..<min(start + size, facts.count)]
            let orders = piece.filter { $0.kind == .order }.map(\.text)
            if !orders.isEmpty {
                let path = try write(([SmallWorld.header] + orders).joined(separator: "\n") + "\n", "\(start).csv")
                _ = try BookLoader(context, connection).load(path: path, options: BookOptions())
            }
            for source in Self.sources {
                let mine = piece.filter { $0.source == source }
                let events = mine.filter { $0.kind == .event }.map(\.text)
                if !events.isEmpty {
                    let path = try write(events.joined(separator: "\n") + "\n", "\(source)-\(start).jsonl")
                    _ = try WebhookHistoryLoader(context, connection, sources: [try Capture.source(source)])
                        .load(paths: [path], source: source)
                }
                try store(mine.filter { $0.kind == .transaction }.map(\.text), source, context)
            }
            for resource in Self.legs {
                let mine = piece.filter { $0.kind == .leg && $0.text.hasPrefix(resource + " ") }
                try store(
                    mine.map { String($0.text.dropFirst(resource.count + 1)) }, Self.settling, context,
                    try LegMapping(resource))
            }
            let lines = piece.filter { $0.kind == .line }.map(\.text)
            if !lines.isEmpty {
                let path = try write(([Self.lines] + lines).joined(separator: "\n") + "\n", "\(start).csv")
                _ = try SettlementLoader(context, connection)
                    .load(path: path, options: SettlementOptions(source: Self.settling))
            }
        }
    }

    private func store(_ elements: [String], _ source: String, _ context: LoadContext) throws {
        try store(elements, source, context, mapping)
    }

    private func store(
        _ elements: [String], _ source: String, _ context: LoadContext, _ mapping: any ElementMapping
    ) throws {
        if elements.isEmpty { return }
        let store = try TransactionStore(
            connection: connection, context: context, source: source, mapping: mapping)
        let rows = try elements.map { text in
            let element = try JSONDocument(text).root
            return IncomingRow(
                element: element, identity: mapping.identity(of: element), mapping: mapping,
                requestStartedAt: context.clock.now(), place: "test")
        }
        try store.commit(CommitGroup(rows: rows))
    }

    private func write(_ text: String, _ name: String) throws -> String {
        let path = "\(folder)/\(UUID().uuidString)-\(name)"
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    /// Where the feeds stand; a poll would say so. The book and the events reach as far as the poll.
    func reach(_ watermark: Timestamp, account: Int64, run: Int64) throws {
        for source in Self.sources {
            let feeds: [Feed] =
                source == Self.settling
                ? [.provider, .book, .settlement] : Array(Feed.allCases.prefix(Self.heard.contains(source) ? 3 : 1))
            for feed in feeds {
                try connection.execute(
                    "insert into tieout.feed_state (account_id, source_id, feed, covered_from, watermark, baseline_run_id) values ($1, $2, $3, $4, $5, $6) on conflict (account_id, source_id, feed) do update set covered_from = excluded.covered_from, watermark = excluded.watermark",
                    [
                        .int(account), .text(source), .text(feed.rawValue),
                        .timestamp(SmallWorld.start.adding(seconds: 3600)), .timestamp(watermark), .int(run),
                    ])
            }
        }
    }

    func reconcile(account: Int64, run: Int64, at now: Timestamp, isFull: Bool) throws -> ReconcileOutcome {
        // As a run does: without it each later world would be taken for one row.
        let statistics = TableStatistics(library: library)
        try statistics.count(on: connection)
        try connection.transaction { try statistics.refresh(for: account, on: $0) }
        let context = ReconcileContext(
            account: account, run: run, asOf: now, clock: LedgerClock(fixed: now), fenceCheck: { _ in }, sql: library,
            terms: [Term(amount: 2, unit: .businessDays)], isFull: isFull)
        return try Reconciler(connection: connection, context: context).run()
    }

    /// Acknowledges the first open breaks.
    func acknowledge(_ count: Int, account: Int64, now: Timestamp) throws {
        let store = BreakStore(connection: connection, library: library, account: account)
        var filter = BreakStore.Filter()
        filter.states = [.open]
        filter.limit = count
        for each in try store.list(filter) { try store.ack(each.id, reason: "known", actor: "ann", now: now) }
    }

    func payments(_ account: Int64) throws -> Int {
        let rows = try connection.query(
            "select count(distinct payment_id) from tieout.payment_member where account_id = $1", [.int(account)])
        return Int(try rows.only().int(0))
    }

    /// What a run leaves, as text, a row each; what names the account itself left out.
    func judged(_ account: Int64) throws -> [String] {
        let tables = [
            ("break", "account_id break_id primary_break_id"),
            ("break_event", "account_id break_id primary_break_id digest"),
            ("control_total", "account_id"), ("control_total_history", "account_id"), ("control_unit", "account_id"),
            ("watch", "account_id"), ("tally", "account_id"), ("payment_member", "account_id"),
            ("payment_key", "account_id"), ("run_rule", "account_id"),
        ]
        let primaries =
            "select 'primary ' || b.rule || ' ' || b.subject || ' ' || coalesce(p.rule || ' ' || p.subject, '') from tieout.break as b left join tieout.break as p on p.account_id = b.account_id and p.break_id = b.primary_break_id where b.account_id = $1"
        return try tables.flatMap { try rows($0.0, without: $0.1, account) }
            + connection.query(primaries, [.int(account)]).map { try $0.text(0) }
    }

    /// The facts, less when, by which run and in which pack they came; versions, not which of them came late.
    func facts(_ account: Int64) throws -> [String] {
        let passing =
            "account_id observed_at run_id request_started_at evidence_pack evidence_offset evidence_length superseded_at file_digest line_no recounted_at"
        let all = ["transaction", "transaction_history", "book_order", "book_order_history", "webhook_event"]
        return try all.flatMap { try rows($0, without: passing, account) }
    }

    /// What stands in the end: breaks as their facts, totals, payments. How many events a run learnt is a fact of the run.
    func standing(_ account: Int64) throws -> [String] {
        let breaks =
            "select concat_ws(' ', rule, subject, severity, source_id, payment_id, order_id, transaction_id, direction, currency, trim_scale(difference), trim_scale(at_risk), due_at, event_at, case when rule <> 'webhook_unverified' then facts end) from tieout.break where account_id = $1 and state in ('open', 'acknowledged')"
        let passing = "account_id run_id observed_at look_again_at"
        return try connection.query(breaks, [.int(account)]).map { try $0.text(0) }
            + ["control_total", "control_unit", "watch", "tally", "payment_member", "payment_key"].flatMap {
                try rows($0, without: passing, account)
            }
    }

    private func rows(_ table: String, without: String, _ account: Int64) throws -> [String] {
        let less = without.split(separator: " ").map { " - '\($0)'" }.joined()
        return try connection.query(
            "select '\(table) ' || (to_jsonb(t)\(less))::text as row from tieout.\(table) as t where account_id = $1",
            [.int(account)]
        ).map { try $0.text(0) }
    }
}
