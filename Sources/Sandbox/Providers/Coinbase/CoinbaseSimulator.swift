import Crypto
import Payments

/// Coinbase Onramp: two lists of v1 transactions, that of the app and that of one customer, and v2 orders by id. Every
/// request carries a token of its own.
struct CoinbaseSimulator: SimulatedProvider {
    static let profile = ProviderProfile(
        name: "coinbase", bookPrefix: "CB-",
        corridors: [
            Corridor(provider: "COINBASE", method: "APPLE_PAY", fiat: .dollar, weight: 5),
            Corridor(provider: "COINBASE", method: "CREDIT_DEBIT_CARD", fiat: .dollar, weight: 3),
        ],
        secrets: [
            .init("api-key", .apiKey) { "organizations/\(Self.uuid(&$0))/apiKeys/\(Self.uuid(&$0))" },
            .init("api_secret", .named) { CoinbaseTokens.privateKey(&$0) },
            .init("webhook-secret", .webhook) { Self.uuid(&$0) },
        ],
        switches: [
            .init("query", ["both", "snake", "camel"], "how names in a query may be written"),
            .init(
                "case", ["snake", "camel", "changing"], "how names in an answer are written; changing: from day to day"),
            .init("total", ["none", "text", "number"], "how the app's list tells its total"),
            .init("end", ["missing", "empty"], "what stands for the page key behind the last page"),
            .init("app-list", ["final", "all"], "whether the app's list shows finished transactions alone"),
            .init("uri", ["uris", "uri"], "which claim of a token names what it is for"),
            .init("event-type", ["fitting", "updated"], "whether the type of an event goes with its status"),
            .init("signature", ["both", "v0", "v1"], "which versions of the signature a delivery carries"),
        ],
        turns: [.pendingCreated, .pending, .settling, .settled, .declined, .failed, .retryScheduled],
        // A second charge of an order is tied to it by nothing that Coinbase shows.
        plays: Play.among([.pendingCreated, .pending, .settling, .settled, .declined, .failed, .retryScheduled])
            .subtracting([.duplicateCharge]).union([.changedType, .webhookForged]),
        // Who takes one spelling alone is told which one to send.
        configuration: { $0.setting("query") == "camel" ? ["options: {query_names: \"camel\"}"] : [] },
        transactionID: { random in
            // Time-ordered ids, as the documents show them.
            "1f\(Identifiers.hex(6, &random))-\(Identifiers.hex(4, &random))-6\(Identifiers.hex(3, &random))-8\(Identifiers.hex(3, &random))-\(Identifiers.hex(12, &random))"
        })

    let source: SimulatedSource
    let items: [Item]
    let tokens: CoinbaseTokens

    init(_ source: SimulatedSource) {
        self.source = source
        tokens = CoinbaseTokens(source)
        var items: [Item] = []
        for (index, trade) in source.trades.enumerated() {
            let created = WireTime.cut(trade.createdAt, to: 1_000)
            let isHeadless = Self.isHeadless(trade)
            // What began in the merchant's own checkout is a transaction only once the outcome is known.
            let shown = isHeadless ? Self.outcome(trade) : trade.shownFrom
            if let shown {
                items.append(Item(id: trade.id, createdAt: created, visibleFrom: shown, subject: index))
            }
            if isHeadless {
                items.append(
                    Item(
                        shelf: "order", id: trade.headlessOrder, createdAt: WireTime.cut(trade.createdAt),
                        visibleFrom: trade.shownFrom, subject: index))
            }
        }
        self.items = items
    }

    static func uuid(_ random: inout Randomness) -> String {
        [8, 4, 4, 4, 12].map { Identifiers.hex($0, &random) }.joined(separator: "-")
    }

    /// Orders of the merchant's own checkout are the only ones whose id the book keeps.
    static func isHeadless(_ trade: Trade) -> Bool { trade.linking == .orderOnly }

    private static func outcome(_ trade: Trade) -> Timestamp? {
        trade.steps.first { [.settled, .failed, .declined].contains($0.status) }?.at
    }

    // MARK: requests

    func authenticate(_ request: APIRequest, at door: Door) throws(Refusal) {
        guard tokens.opens(request, at: door) else { throw refusal(.unauthorized) }
    }

    func route(_ request: APIRequest) throws(Refusal) -> Route {
        let parts = request.parts
        guard request.method == "GET" else { throw refusal(.noRoute) }
        if parts.count == 5, Array(parts.prefix(4)) == ["platform", "v2", "onramp", "orders"] {
            guard request.query.isEmpty else { throw refusal(.noRoute) }
            return .one(shelf: "order", id: parts[4])
        }
        guard Array(parts.prefix(3)) == ["onramp", "v1", "buy"] else { throw refusal(.noRoute) }
        switch parts.dropFirst(3) {
        case ["transactions"]:
            var ask = ListAsk(limit: 1000)
            if source.setting("app-list") == "final" { ask.filter.fields["outcome"] = ["final"] }
            for (name, value) in request.query { try read(name, value, into: &ask, isApp: true) }
            return .list(ask)
        case let rest where rest.count == 3 && rest.first == "user" && rest.last == "transactions":
            // One row a page unless it is said otherwise.
            var ask = ListAsk(limit: 1)
            ask.dialect = "user"
            ask.filter.fields["partner_user_ref"] = [parts[4]]
            for (name, value) in request.query { try read(name, value, into: &ask, isApp: false) }
            return .list(ask)
        default: throw refusal(.noRoute)
        }
    }

    private func read(_ name: String, _ value: String, into ask: inout ListAsk, isApp: Bool) throws(Refusal) {
        func problem(_ text: String) -> Refusal { refusal(.badParameter(name: name, problem: text)) }
        let isCamel = name != name.lowercased()
        let written = source.setting("query")
        guard written == "both" || (written == "camel") == isCamel else { throw problem("is unknown") }
        switch CoinbaseRows.snake(name) {
        case "page_size":
            guard let size = Int(value), (1...1000).contains(size) else { throw problem("must be 1 to 1000") }
            ask.limit = size
        case "page_key":
            guard let skip = CoinbaseRows.skip(ofKey: value) else { throw refusal(.badCursor) }
            ask.position = .offset(skip)
        case "start_date" where isApp:
            guard let moment = WireTime.day(value) ?? Timestamp(value) else { throw problem("must be a date") }
            ask.filter.from = moment
        case "end_date" where isApp:
            guard let moment = WireTime.day(value) ?? Timestamp(value) else { throw problem("must be a date") }
            ask.filter.until = moment
        default: throw problem("is unknown")
        }
    }

    func value(_ field: String, of item: Item, at moment: Timestamp) -> String {
        let trade = source.trades[item.subject]
        switch field {
        case "outcome":
            let word = word(trade, at: moment)
            return word.hasSuffix("_SUCCESS") || word.hasSuffix("_FAILED") ? "final" : "open"
        case "partner_user_ref": return CoinbaseRows.reference(trade)
        default: return ""
        }
    }

    // MARK: answers

    func row(_ item: Item, _ view: View) -> [UInt8] {
        let rows = CoinbaseRows(source: source)
        let trade = source.trades[item.subject]
        return item.shelf == "order"
            ? rows.order(trade, at: view.moment, isEvent: false)
            : rows.transaction(trade, at: view.moment, isCamel: isCamel(at: view.moment))
    }

    /// Names are written as the switch says; changing ones by the day that the answer is given.
    private func isCamel(at moment: Timestamp) -> Bool {
        switch source.setting("case") {
        case "camel": true
        case "changing": WireTime.seconds(moment) / 86_400 % 2 == 1
        default: false
        }
    }

    func envelope(_ page: Page, _ ask: ListAsk) -> [UInt8] {
        let isCamel = isCamel(at: page.moment)
        var json = JSONText()
        json.object {
            $0.raw("transactions", bytes: page.array)
            let key = isCamel ? "nextPageKey" : "next_page_key"
            if page.remaining > 0 {
                $0.text(key, CoinbaseRows.key(skip: page.offset + ask.limit))
            } else if source.setting("end") == "empty" {
                $0.text(key, "")
            }
            let count = isCamel ? "totalCount" : "total_count"
            switch ask.dialect == "user" ? "text" : source.setting("total") {
            case "text": $0.text(count, String(page.total))
            case "number": $0.number(count, String(page.total))
            default: break
            }
        }
        return json.bytes
    }

    func single(_ row: [UInt8], _ item: Item, at moment: Timestamp) -> [UInt8] {
        var json = JSONText()
        json.object { $0.raw("order", bytes: row) }
        return json.bytes
    }

    func marks(ofShelf shelf: String) -> RowMarks {
        RowMarks(
            ids: shelf == "order" ? ["orderId"] : ["transaction_id", "transactionId"], owner: nil,
            amount: shelf == "order" ? "paymentTotal" : "value", status: "status")
    }

    func refusal(_ trouble: Trouble) -> Refusal {
        switch trouble {
        // Plain text is seen on its hosts.
        case .unauthorized: Refusal(status: 401, code: "unauthorized", message: "Unauthorized", text: "Unauthorized")
        case .forbidden: Refusal(status: 403, code: "7", message: "permission denied")
        case .tooMany: Refusal(status: 429, code: "rate_limit_exceeded", message: "Rate limit exceeded.")
        case .redirect(let status): Refusal(status: status, code: "2", message: "moved")
        case .badCursor: Refusal(status: 400, code: "3", message: "invalid page_key")
        case .server(let status): Refusal(status: status, code: "internal_server_error", message: "An internal error.")
        case .notFound(shelf: "order", _):
            Refusal(status: 404, code: "not_found", message: "Order with the given ID does not exist.")
        case .noRoute, .notFound: Refusal(status: 404, code: "5", message: "Not Found")
        case .badParameter(let name, let problem):
            Refusal(status: 400, code: "3", message: "\(name) \(problem)", parameter: name)
        }
    }

    /// v1 numbers its errors, v2 has words for them.
    func answer(_ refusal: Refusal, number: Int, at moment: Timestamp) -> APIResponse {
        if let text = refusal.text { return APIResponse(refusal.status, Array(text.utf8), type: "text/plain") }
        var json = JSONText()
        json.object {
            if Int(refusal.code) != nil {
                $0.number("code", refusal.code)
                $0.text("message", refusal.message)
                $0.array("details") { _ in }
            } else {
                $0.text("errorType", refusal.code)
                $0.text("errorMessage", refusal.message)
                $0.text("correlationId", "c-\(number)")
            }
        }
        return APIResponse(refusal.status, json.bytes)
    }

    // MARK: truth

    func word(_ trade: Trade, at moment: Timestamp) -> String {
        CoinbaseRows.transactionStatus(CoinbaseRows.status(trade, at: moment))
    }

    func shown(_ trade: Trade, at moment: Timestamp) -> ShownAmounts {
        ShownAmounts(
            charged: (trade.corridor.fiat.code, trade.fiatAmount),
            delivered: (CoinbaseRows.asset(trade), trade.cryptoAmount))
    }
}
