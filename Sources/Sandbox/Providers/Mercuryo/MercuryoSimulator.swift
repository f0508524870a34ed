import Crypto
import Payments

/// Mercuryo's Widget Partner API: one list whose elements group the linked operations of a purchase by their kind.
struct MercuryoSimulator: SimulatedProvider {
    static let profile = ProviderProfile(
        name: "mercuryo", bookPrefix: "MC-", carriedAs: "MERCURYO",
        corridors: [
            Corridor(provider: "MERCURYO", method: "APPLE_PAY", fiat: .euro, weight: 5),
            Corridor(provider: "MERCURYO", method: "CREDIT_DEBIT_CARD", fiat: .euro, weight: 3),
            Corridor(provider: "MERCURYO", method: "PIX", fiat: .real, weight: 1),
        ],
        secrets: [
            .init("api-key", .apiKey) { Identifiers.hex(40, &$0) },
            .init("webhook-secret", .webhook) { Identifiers.base58(24, &$0) },
        ],
        switches: [
            .init("dates", ["inclusive", "exclusive"], "whether date_end's own day is listed"),
            .init("order", ["newest", "oldest"], "which end of the list comes first"),
            .init("next", ["null", "url"], "what `next` and `prev` say where there is such a page"),
            .init("signature", ["raw", "stripped"], "whether white space goes before a callback is signed"),
            .init("root", ["data", "payload"], "whether a callback's `data` stands in a `payload`"),
            .init("transaction", ["named", "unnamed"], "whether a callback names the `transaction_id` too"),
            .init("new", ["sent", "silent"], "whether a callback tells of `new`"),
        ],
        turns: turns, sells: true, plays: Play.among(turns).union([.changedType, .webhookForged]),
        contradiction: .failed,
        configuration: { ["options: {widget_id: \"\(widget(of: $0))\"}"] },
        transactionID: { "0" + Identifiers.hex(16, &$0) })

    private static let turns: Set<Status> = [
        .pendingCreated, .pending, .authorized, .settling, .onrampSettled, .settled, .declined, .cancelled, .failed,
        .authorizationExpired, .refunded, .retryScheduled,
    ]

    let source: SimulatedSource
    let items: [Item]
    /// The partner's one widget.
    let widget: String

    init(_ source: SimulatedSource) {
        self.source = source
        widget = Self.widget(of: source)
        items = source.trades.enumerated().map { index, trade in
            Item(
                id: trade.id, createdAt: WireTime.cut(trade.createdAt), visibleFrom: trade.shownFrom, subject: index)
        }
    }

    private static func widget(of source: SimulatedSource) -> String {
        var random = source.randomness(30, "widget")
        return uuid(&random)
    }

    static func uuid(_ random: inout Randomness) -> String {
        [8, 4, 4, 4, 12].map { Identifiers.hex($0, &random) }.joined(separator: "-")
    }

    // MARK: requests

    func authenticate(_ request: APIRequest, at door: Door) throws(Refusal) {
        let given = Array((request.headers["sdk-partner-token"] ?? "").utf8)
        guard constantTimeEqual(given, Array(source.secret("api-key").reveal().utf8)) else {
            throw refusal(.unauthorized)
        }
    }

    func route(_ request: APIRequest) throws(Refusal) -> Route {
        guard request.method == "GET", request.parts == ["v1.6", "sdk-partner", "transactions"] else {
            throw refusal(.noRoute)
        }
        var ask = ListAsk(limit: 50)
        ask.isOldestFirst = source.setting("order") == "oldest"
        for (name, value) in request.query {
            switch name {
            case "limit": ask.limit = try number(name, value, 1...50)
            case "offset": ask.position = .offset(try number(name, value, 0...10_000_000))
            case "date_start": ask.filter.from = try moment(name, value, isEnd: false)
            case "date_end": ask.filter.until = try moment(name, value, isEnd: true)
            case "status": ask.filter.fields[name] = value.split(separator: ",").map(String.init).sorted()
            case "widget_id", "merchant_transaction_id": ask.filter.fields[name] = [value]
            default: throw refusal(.badParameter(name: name, problem: "is unknown"))
            }
        }
        return .list(ask)
    }

    private func number(_ name: String, _ text: String, _ range: ClosedRange<Int>) throws(Refusal) -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw refusal(.badParameter(name: name, problem: "must be \(range.lowerBound) to \(range.upperBound)"))
        }
        return number
    }

    /// A day, or a moment of one, of creation in UTC.
    private func moment(_ name: String, _ text: String, isEnd: Bool) throws(Refusal) -> Timestamp {
        let takesEnd = source.setting("dates") == "inclusive"
        if let day = WireTime.day(text) { return isEnd && takesEnd ? day.adding(seconds: 86_400) : day }
        guard let moment = Timestamp(text, assumingUTC: true) else {
            throw refusal(.badParameter(name: name, problem: "must be a date"))
        }
        return isEnd && takesEnd ? moment.next : moment
    }

    func value(_ field: String, of item: Item, at moment: Timestamp) -> String {
        let trade = source.trades[item.subject]
        switch field {
        case "status": return MercuryoOperations(trade: trade).operations(at: moment).main.status
        case "widget_id": return widget
        case "merchant_transaction_id": return trade.bookOrder
        default: return ""
        }
    }

    // MARK: answers

    func envelope(_ page: Page, _ ask: ListAsk) -> [UInt8] {
        let isLinked = source.setting("next") == "url"
        func link(_ offset: Int) -> String { "/v1.6/sdk-partner/transactions?limit=\(ask.limit)&offset=\(offset)" }
        var json = JSONText()
        json.object {
            $0.number("status", "200")
            $0.number("total", String(page.total))
            $0.text("next", isLinked && page.remaining > 0 ? link(page.offset + ask.limit) : nil)
            $0.text("prev", isLinked && page.offset > 0 ? link(max(0, page.offset - ask.limit)) : nil)
            $0.raw("data", bytes: page.array)
        }
        return json.bytes
    }

    func marks(ofShelf shelf: String) -> RowMarks {
        RowMarks(
            ids: ["transaction_id", "merchant_transaction_id"], owner: ("widget_id", { Self.uuid(&$0) }),
            amount: "fiat_amount", status: "status")
    }

    func refusal(_ trouble: Trouble) -> Refusal {
        switch trouble {
        case .unauthorized: Refusal(status: 401, code: "401000", message: "Unauthorized")
        case .forbidden: Refusal(status: 403, code: "403023", message: "Forbidden")
        case .tooMany: Refusal(status: 429, code: "429000", message: "Too many requests")
        case .redirect(let status): Refusal(status: status, code: "\(status)000", message: "Moved")
        case .badCursor: Refusal(status: 400, code: "400010", message: "offset is out of range")
        case .server(let status): Refusal(status: status, code: "\(status)000", message: "Internal error")
        case .noRoute, .notFound: Refusal(status: 404, code: "404000", message: "Not found")
        case .badParameter(let name, let problem):
            Refusal(status: 400, code: "400010", message: "\(name) \(problem)", parameter: name)
        }
    }

    func answer(_ refusal: Refusal, number: Int, at moment: Timestamp) -> APIResponse {
        var json = JSONText()
        json.object {
            $0.number("status", String(refusal.status))
            $0.number("code", refusal.code)
            $0.text("message", refusal.message)
        }
        return APIResponse(refusal.status, json.bytes)
    }
}
