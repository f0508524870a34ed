import Crypto
import Payments

/// Push Cash: intents, the ledger's transactions, its transfers, refunds and disputes, each on a list of its own with an
/// opaque cursor and the same window.
struct PushSimulator: SimulatedProvider {
    static let profile = ProviderProfile(
        name: "push", bookPrefix: "PU-", environment: "live",
        corridors: [
            Corridor(provider: "PUSH", method: "card", fiat: .dollar, weight: 6),
            Corridor(provider: "PUSH", method: "ach", fiat: .dollar, weight: 2),
        ],
        secrets: [
            .init("api-key", .apiKey) {
                "pcsk_production_\(Identifiers.base58(12, &$0)).\(Identifiers.base58(32, &$0))"
            },
            .init("webhook-root", .server) { Identifiers.base58(32, &$0) },
        ],
        hasPaymentSecrets: true,
        switches: [
            .init("after", ["exclusive", "inclusive"], "whether created_at.after lists its own moment"),
            .init("order", ["newest", "oldest"], "which end of a list comes first"),
            .init("page", ["100", "20"], "rows of a page"),
            .init("ledger", ["new", "old"], "old: a transfer has a transaction of its own, lines name their balance"),
            .init("types", ["named", "intent"], "whether lines of refunds and disputes have types of their own"),
            .init("transfer", ["unnamed", "named"], "whether a line names its transfer_id"),
            .init("embedded", ["shown", "left-out"], "whether a list's intents show their transactions"),
            .init("tag", ["named", "unnamed"], "whether an intent names its tag"),
            .init("error", ["error", "message"], "the key of an error's text"),
            .init("reset", ["unix", "iso"], "how X-RateLimit-Reset is written"),
            .init("signature", ["hex", "base64", "prefixed"], "how a signature is spelt"),
        ],
        turns: turns, settlesToMerchant: true,
        plays: Play.among(turns).subtracting([.paidUnsettled, .deliveredLate, .webhookConflict])
            .union([.changedType, .refundMismatch, .disputed, .payoutVariance, .testMode]),
        announced: .settling,
        terms: [
            .init(
                direction: .in, amount: 3, unit: "business_days", cutOff: "16:00", zone: "America/New_York",
                calendars: "US"),
            .init(
                direction: .out, amount: 1, unit: "business_days", cutOff: "16:00", zone: "America/New_York",
                calendars: "US"),
        ],
        configuration: { ["credit_policy: \"on_paid\"", "options: {account_id: \"\(account(of: $0))\"}"] },
        transactionID: { "intent_production_" + Identifiers.base58(22, &$0) })

    private static let turns: Set<Status> = [
        .pendingCreated, .pending, .settling, .settled, .declined, .cancelled, .refunded, .retryScheduled,
    ]

    let source: SimulatedSource
    let items: [Item]
    let ledger: PushLedger
    /// The merchant's one account.
    let account: String

    init(_ source: SimulatedSource) {
        self.source = source
        account = Self.account(of: source)
        let ledger = PushLedger(source, isOld: source.setting("ledger") == "old")
        self.ledger = ledger
        var items = source.trades.enumerated().map { index, trade in
            Item(
                id: trade.id, createdAt: WireTime.cut(trade.createdAt, to: 1_000), visibleFrom: trade.shownFrom,
                subject: index)
        }
        for (index, trade) in source.trades.enumerated() {
            for (part, refund) in trade.returns.enumerated() {
                items.append(
                    Item(
                        shelf: Shelf.refund, id: ledger.id("refund", trade, part),
                        createdAt: WireTime.cut(refund.at, to: 1_000), visibleFrom: refund.at, subject: index,
                        part: part))
            }
            for (part, dispute) in trade.disputes.enumerated() {
                items.append(
                    Item(
                        shelf: Shelf.dispute, id: ledger.id("dispute", trade, part),
                        createdAt: WireTime.cut(dispute.at, to: 1_000), visibleFrom: dispute.at, subject: index,
                        part: part))
            }
        }
        items += ledger.lines.enumerated().map { index, line in
            Item(
                shelf: Shelf.line, id: line.id, createdAt: WireTime.cut(line.at, to: 1_000), visibleFrom: line.at,
                subject: index)
        }
        items += ledger.transfers.enumerated().map { index, transfer in
            Item(
                shelf: Shelf.transfer, id: transfer.id, createdAt: transfer.at, visibleFrom: transfer.at, subject: index
            )
        }
        self.items = items
    }

    private static func account(of source: SimulatedSource) -> String {
        var random = source.randomness(40, "account")
        return accountID(&random)
    }

    private static func accountID(_ random: inout Randomness) -> String {
        "account_" + Identifiers.base58(20, &random)
    }

    /// The lists, by the word in their address.
    enum Shelf {
        static let refund = "refund"
        static let dispute = "dispute"
        static let line = "settlement_line"
        static let transfer = "payout"

        static func named(_ word: String) -> String? {
            switch word {
            case "intent": Item.transactions
            case "transaction": line
            case "transfer": transfer
            case "refund", "dispute": word
            default: nil
            }
        }
    }

    var shortPayouts: [ShortPayout] {
        ledger.transfers.filter { $0.shortfall > 0 }.map {
            ShortPayout(id: $0.id, at: $0.at, shortfall: Amount($0.shortfall, digits: 2), currency: "USD")
        }
    }

    // MARK: requests

    func authenticate(_ request: APIRequest, at door: Door) throws(Refusal) {
        let given = Array((request.headers["authorization"] ?? "").utf8)
        guard constantTimeEqual(given, Array("Bearer \(source.secret("api-key").reveal())".utf8)) else {
            throw refusal(.unauthorized)
        }
    }

    func route(_ request: APIRequest) throws(Refusal) -> Route {
        guard request.method == "GET", request.parts.count == 2, let shelf = Shelf.named(request.parts[0]) else {
            throw refusal(.noRoute)
        }
        guard request.parts[1] == "list" else {
            guard request.query.isEmpty else {
                throw refusal(.badParameter(name: request.query[0].name, problem: "is unknown"))
            }
            return .one(shelf: shelf, id: request.parts[1], dialect: "single")
        }
        var ask = ListAsk(shelf: shelf, limit: Int(source.setting("page")) ?? 100)
        ask.isOldestFirst = source.setting("order") == "oldest"
        for (name, value) in request.query {
            switch (name, shelf) {
            case ("created_at.after", _):
                let moment = try moment(name, value)
                ask.filter.from = source.setting("after") == "inclusive" ? moment : moment.next
            case ("created_at.before", _): ask.filter.until = try moment(name, value)
            case ("cursor", _):
                // The API's cursors hold signs that have to be encoded on their way back.
                guard value.hasSuffix("==") else { throw refusal(.badCursor) }
                ask.position = .after(key: String(value.dropLast(2)))
            case ("status", Item.transactions): try select(name, request, Self.statuses, in: &ask)
            case ("status", Shelf.refund): try select(name, request, ["approved", "declined"], in: &ask)
            case ("status", Shelf.dispute): try select(name, request, ["created", "won", "lost"], in: &ask)
            case ("type", Item.transactions): ask.filter.fields[name] = request.values(name).sorted()
            case ("account_id", Shelf.line): ask.filter.fields[name] = [value]
            case ("date.after", Shelf.transfer):
                ask.filter.from = max(try day(name, value), ask.filter.from ?? .init(seconds: 0))
            case ("date.before", Shelf.transfer): ask.filter.until = try day(name, value)
            default: throw refusal(.badParameter(name: name, problem: "is unknown"))
            }
        }
        return .list(ask)
    }

    private static let statuses = ["created", "approved", "declined", "pending", "canceled"]

    /// An array in the query: repeated, or joined by commas.
    private func select(
        _ name: String, _ request: APIRequest, _ known: [String], in ask: inout ListAsk
    ) throws(Refusal) {
        let values = request.values(name)
        guard values.allSatisfy(known.contains) else { throw refusal(.badParameter(name: name, problem: "is unknown")) }
        ask.filter.fields[name] = values.sorted()
    }

    private func moment(_ name: String, _ text: String) throws(Refusal) -> Timestamp {
        guard let moment = Timestamp(text) else {
            throw refusal(.badParameter(name: name, problem: "must be a date-time"))
        }
        return moment
    }

    private func day(_ name: String, _ text: String) throws(Refusal) -> Timestamp {
        guard let day = WireTime.day(text) else { throw refusal(.badParameter(name: name, problem: "must be a date")) }
        return day
    }

    func value(_ field: String, of item: Item, at moment: Timestamp) -> String {
        switch (field, item.shelf) {
        case ("account_id", _): account
        case ("status", Item.transactions): word(source.trades[item.subject], at: moment)
        case ("status", Shelf.refund): refundWord(item, at: moment)
        case ("status", Shelf.dispute): disputeWord(item, at: moment)
        case ("type", Item.transactions): type(source.trades[item.subject])
        default: ""
        }
    }

    // MARK: answers

    func envelope(_ page: Page, _ ask: ListAsk) -> [UInt8] {
        var json = JSONText()
        json.object {
            $0.raw("data", bytes: page.array)
            $0.text("next_cursor", page.next.map { "\($0)==" })
        }
        return json.bytes
    }

    func marks(ofShelf shelf: String) -> RowMarks {
        // Refunds and disputes name no account.
        let owner: String? =
            switch shelf {
            case Item.transactions, Shelf.transfer: "account.id"
            case Shelf.line: "account_id"
            default: nil
            }
        return RowMarks(
            ids: shelf == Item.transactions ? ["id", "idempotency_key"] : ["id"],
            owner: owner.map { ($0, { Self.accountID(&$0) }) }, amount: "amount",
            status: shelf == Shelf.transfer ? "direction" : "status")
    }

    func refusal(_ trouble: Trouble) -> Refusal {
        switch trouble {
        case .unauthorized: Refusal(status: 401, code: "unauthorized", message: "Invalid API key")
        case .forbidden: Refusal(status: 403, code: "forbidden", message: "Forbidden")
        case .tooMany: Refusal(status: 429, code: "rate_limited", message: "Too many requests")
        case .redirect(let status): Refusal(status: status, code: "moved", message: "Moved")
        case .badCursor: Refusal(status: 400, code: "cursor", message: "Invalid cursor")
        case .server(let status): Refusal(status: status, code: "internal", message: "Internal error")
        case .noRoute, .notFound: Refusal(status: 404, code: "not_found", message: "Not found")
        case .badParameter(let name, let problem):
            Refusal(status: 400, code: "invalid", message: "\(name) \(problem)", parameter: name)
        }
    }

    func answer(_ refusal: Refusal, number: Int, at moment: Timestamp) -> APIResponse {
        var json = JSONText()
        json.object { $0.text(source.setting("error"), refusal.message) }
        return APIResponse(refusal.status, json.bytes)
    }

    /// A thousand reads within an hour; nobody is turned away by counting here, `--misbehave 429` does that.
    func headers(answering request: APIRequest, number: Int) -> [(name: String, value: String)] {
        // The start of the next window, in the world's own time.
        let reset = source.shape.night(1).adding(seconds: 3_600)
        let text = source.setting("reset") == "iso" ? reset.description : String(WireTime.seconds(reset))
        return [
            ("X-RateLimit-Limit", "1000"), ("X-RateLimit-Remaining", String(999 - number % 1000)),
            ("X-RateLimit-Reset", text),
        ]
    }
}
