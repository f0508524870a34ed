import Crypto
import Payments

/// dLocal's payins: nothing can be listed. Payments, orders, refunds and chargebacks are read by id; the rest comes by
/// notifications and settlement reports.
struct DLocalSimulator: SimulatedProvider {
    static let profile = ProviderProfile(
        name: "dlocal", bookPrefix: "DL-",
        corridors: [
            Corridor(provider: "DLOCAL", method: "CARD", fiat: .real, weight: 5),
            Corridor(provider: "DLOCAL", method: "APPLE_PAY", fiat: .real, weight: 3),
            Corridor(provider: "DLOCAL", method: "CARD", fiat: peso, weight: 2),
            Corridor(provider: "DLOCAL", method: "TICKET", fiat: .real, weight: 1),
            Corridor(provider: "DLOCAL", method: "BANK_TRANSFER", fiat: .real, weight: 2),
        ],
        secrets: [
            .init("login", .apiKey) { Identifiers.base58(10, &$0) },
            .init("trans_key", .named) { Identifiers.base58(10, &$0) },
            .init("secret_key", .named) { Identifiers.base58(34, &$0) },
        ],
        switches: [
            .init("dates", ["offset", "zulu", "minus"], "how moments end: +0000, Z or -00:00"),
            .init("refunds", ["objects", "ids", "empty"], "what `refunds` of a payment holds"),
            .init("order", ["authorization", "capture"], "which payment an order names that was captured"),
            .init("wallet", ["hidden", "named"], "whether a card says that it came by Apple Pay"),
            .init("header", ["authorization", "signature"], "where a notification's signature stands"),
            .init("separator", ["comma", "semicolon"], "what stands between the cells of a report"),
            .init("report-ids", ["short", "api"], "whether a report's DLOCAL_TRANSACTION_ID is an id of its own"),
            .init("report-name", ["cross_border", "merchant"], "how a report's file is called"),
        ],
        turns: turns, settlesToMerchant: true,
        // A card that is pending holds money: a refusal that is pending again is no mere regression.
        plays: Play.among(turns).subtracting([.webhookConflict, .statusRegression])
            .union([.changedType, .webhookForged, .refundMismatch, .disputed, .payoutVariance]),
        announced: .settling, terms: [Term(amount: 48, unit: "hours")],
        configuration: { _ in ["credit_policy: \"on_paid\""] },
        transactionID: { "T-\(merchant)-\(uuid(&$0))" })

    private typealias Term = ProviderProfile.Term

    private static let turns: Set<Status> = [
        .pendingCreated, .pending, .authorized, .settling, .settled, .declined, .cancelled, .authorizationExpired,
        .refunded, .retryScheduled,
    ]

    static let peso = Fiat(
        code: "MXN", digits: 2, usdPerThousand: 58, countries: ["MX"], range: 10_000...900_000)
    /// The merchant's number, which ids carry.
    static let merchant = 648

    let source: SimulatedSource
    let items: [Item]
    let settlement: Settlement
    /// The index of the authorization that a payment captures, by the payment's index.
    let authorizations: [Int: Int]
    private let orders: [String: [Int]]
    /// The index of each payment.
    let places: [String: Int]

    init(_ source: SimulatedSource) {
        self.source = source
        settlement = Settlement(source, release: Self.transfer)
        orders = Dictionary(grouping: source.trades.indices, by: { source.trades[$0].bookOrder })
        places = Dictionary(uniqueKeysWithValues: source.trades.enumerated().map { ($1.id, $0) })
        authorizations = Self.authorizations(source, orders)
        var items = source.trades.enumerated().map { index, trade in
            Item(
                id: trade.id, createdAt: WireTime.cut(trade.createdAt), visibleFrom: trade.shownFrom, subject: index)
        }
        for (index, trade) in source.trades.enumerated() {
            for (part, refund) in trade.returns.enumerated() {
                items.append(
                    Item(
                        shelf: "refund", id: Self.refundID(part, trade, source), createdAt: WireTime.cut(refund.at),
                        visibleFrom: refund.at, subject: index, part: part))
            }
            for (part, dispute) in trade.disputes.enumerated() {
                items.append(
                    Item(
                        shelf: "dispute", id: Self.disputeID(part, trade, source), createdAt: WireTime.cut(dispute.at),
                        visibleFrom: dispute.at, subject: index, part: part))
            }
        }
        self.items = items
    }

    /// A capture begins with the money taken, after an authorization of the same order that nothing else ended.
    private static func authorizations(_ source: SimulatedSource, _ orders: [String: [Int]]) -> [Int: Int] {
        var found: [Int: Int] = [:]
        for indices in orders.values where indices.count > 1 {
            for index in indices where source.trades[index].steps.first?.status == .settling {
                found[index] = indices.first { source.trades[$0].steps.last?.status == .authorized }
            }
        }
        return found
    }

    /// Every day at 18:00 what has become due is transferred.
    static func transfer(_ moment: Timestamp) -> Timestamp {
        let day: Int64 = 86_400_000_000
        let six = moment.microseconds / day * day + 18 * 3_600_000_000
        return Timestamp(microseconds: moment.microseconds <= six ? six : six + day)
    }

    static func uuid(_ random: inout Randomness) -> String {
        [8, 4, 4, 4, 12].map { Identifiers.hex($0, &random) }.joined(separator: "-")
    }

    static func refundID(_ part: Int, _ trade: Trade, _ source: SimulatedSource) -> String {
        var random = source.randomness(41 &+ UInt64(part) << 8, trade.id)
        return "REF-\(merchant)-\(uuid(&random))"
    }

    static func disputeID(_ part: Int, _ trade: Trade, _ source: SimulatedSource) -> String {
        var random = source.randomness(42 &+ UInt64(part) << 8, trade.id)
        return "CHAR\(random.between(10_000_000...99_999_999))"
    }

    // MARK: requests

    /// No 401 here: a missing or malformed header and a wrong digest are bad requests; who is not known is forbidden. An
    /// old X-Date is as good as a new one.
    func authenticate(_ request: APIRequest, at door: Door) throws(Refusal) {
        func header(_ name: String) -> String { request.headers[name.lowercased()] ?? "" }
        for name in ["X-Date", "X-Login", "Authorization"] where header(name).isEmpty {
            throw Refusal(status: 400, code: "5001", message: "Invalid parameter", parameter: name)
        }
        guard !header("X-Trans-Key").isEmpty else {
            throw Refusal(status: 400, code: "5001", message: "Missing parameter(s) [or non valid values]. key")
        }
        guard Timestamp(header("X-Date")) != nil else {
            throw Refusal(status: 400, code: "5001", message: "Invalid parameter", parameter: "X-Date")
        }
        let scheme = "V2-HMAC-SHA256, Signature: "
        guard header("Authorization").hasPrefix(scheme) else {
            throw Refusal(status: 400, code: "5001", message: "Invalid parameter", parameter: "Authorization")
        }
        for (name, secret) in [("X-Login", "login"), ("X-Trans-Key", "trans_key")] {
            guard constantTimeEqual(header(name).utf8, source.secret(secret).reveal().utf8) else {
                throw refusal(.unauthorized)
            }
        }
        let signature = Self.signature(
            source, date: header("X-Date"), body: request.body, key: source.secret("secret_key"))
        guard constantTimeEqual(header("Authorization").dropFirst(scheme.count).utf8, signature.utf8) else {
            throw Refusal(status: 400, code: "5000", message: "Signature not match")
        }
    }

    static func signature(_ source: SimulatedSource, date: String, body: [UInt8], key: Secret) -> String {
        let message = Array((source.secret("login").reveal() + date).utf8) + body
        return Hex.encode(HMACCode.sha256(key: key, message: message))
    }

    func route(_ request: APIRequest) throws(Refusal) -> Route {
        guard request.method == "GET" else { throw refusal(.noRoute) }
        switch (request.parts.count, request.parts.first) {
        case (2, "payments"): return .one(shelf: Item.transactions, id: request.parts[1])
        case (2, "refunds"): return .one(shelf: "refund", id: request.parts[1])
        case (2, "chargebacks"): return .one(shelf: "dispute", id: request.parts[1])
        case (3, "payments") where request.parts[2] == "status", (3, "refunds") where request.parts[2] == "status":
            return statusRoute(request.parts)
        case (2, "orders"): return orderRoute(request.parts[1])
        case (1, "payments-methods"):
            guard let country = request.value("country"), country.utf8.count == 2 else {
                throw Refusal(status: 400, code: "5001", message: "Invalid parameter", parameter: "country")
            }
            return .other { _ throws(Refusal) in
                APIResponse(200, Array(#"[{"id":"CARD","type":"CARD","name":"Card","logo":""}]"#.utf8))
            }
        default: throw refusal(.noRoute)
        }
    }

    private func orderRoute(_ order: String) -> Route {
        .other { answering throws(Refusal) in
            let visible = (orders[order] ?? []).filter { answering.isVisible(items[$0]) }
            guard let latest = visible.max(by: { source.trades[$0].createdAt < source.trades[$1].createdAt }) else {
                throw refusal(.notFound(shelf: "order", id: order))
            }
            let named =
                source.setting("order") == "authorization" ? authorizations[latest] ?? latest : latest
            return APIResponse(200, self.order(named, at: answering.moment))
        }
    }

    private func statusRoute(_ parts: [String]) -> Route {
        .other { answering throws(Refusal) in
            let shelf = parts[0] == "payments" ? Item.transactions : "refund"
            let item = items.first { $0.shelf == shelf && $0.id == parts[1] && answering.isVisible($0) }
            // It is kept for a year.
            guard let item, item.createdAt.adding(seconds: 365 * 86_400) > answering.moment else {
                throw refusal(.notFound(shelf: shelf, id: parts[1]))
            }
            return APIResponse(200, self.triple(item, at: answering.moment))
        }
    }

    func value(_ field: String, of item: Item, at moment: Timestamp) -> String { "" }

    // MARK: answers

    func envelope(_ page: Page, _ ask: ListAsk) -> [UInt8] { page.array }

    func marks(ofShelf shelf: String) -> RowMarks {
        RowMarks(ids: ["id", "order_id"], owner: nil, amount: "amount", status: "status")
    }

    func refusal(_ trouble: Trouble) -> Refusal {
        switch trouble {
        case .unauthorized: Refusal(status: 403, code: "3001", message: "Invalid credentials")
        case .forbidden: Refusal(status: 403, code: "3003", message: "No authorization for API")
        case .tooMany: Refusal(status: 429, code: "6000", message: "Too many requests")
        case .redirect(let status): Refusal(status: status, code: "7000", message: "Moved")
        case .badCursor: Refusal(status: 400, code: "5000", message: "Invalid request")
        case .server(let status):
            Refusal(status: status, code: status == 504 ? "5010" : "7000", message: "Internal error")
        case .noRoute: Refusal(status: 404, code: "", message: "", text: "NOT_FOUND")
        case .notFound("refund", _): Refusal(status: 404, code: "4001", message: "Refund not found")
        case .notFound: Refusal(status: 404, code: "4000", message: "Payment not found")
        case .badParameter(let name, _):
            Refusal(status: 400, code: "5001", message: "Invalid parameter", parameter: name)
        }
    }

    func answer(_ refusal: Refusal, number: Int, at moment: Timestamp) -> APIResponse {
        if let text = refusal.text { return APIResponse(refusal.status, Array(text.utf8), type: "text/plain") }
        var json = JSONText()
        json.object {
            $0.number("code", refusal.code)
            $0.text("message", refusal.message)
            if let parameter = refusal.parameter { $0.text("param", parameter) }
        }
        return APIResponse(refusal.status, json.bytes)
    }
}
