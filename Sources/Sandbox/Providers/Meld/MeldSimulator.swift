import Crypto
import Payments

/// Meld: an aggregator above other on-ramps. Opaque keys in both directions, strict query names, dated versions.
struct MeldSimulator: SimulatedProvider {
    static let profile = ProviderProfile(
        name: Names.provider, bookPrefix: "A-", corridors: Corridor.all,
        secrets: [
            .init("api-key", .apiKey) { "\(Identifiers.meld(&$0)):\(Identifiers.base58(32, &$0))" },
            .init("webhook-secret", .webhook) { Identifiers.base58(28, &$0) },
        ],
        turns: Set(Status.allCases), sells: true, plays: [],
        terms: [
            .init(amount: 24, unit: "hours"), .init(method: "SEPA", amount: 3, unit: "business_days"),
            .init(method: "ACH", amount: 5, unit: "business_days"),
        ],
        configuration: { _ in
            ["options: {meld_version: \"\(Names.version)\", account_id_expected: \"\(Deliveries.account)\"}"]
        },
        transactionID: { Identifiers.meld(&$0) })

    let source: SimulatedSource
    let items: [Item]
    private let sessions: [String: [Int]]

    /// Versions that changed something, oldest first.
    private static let versions = [
        "2021-10-27", "2022-02-02", "2022-11-10", "2023-12-19", "2025-03-01", "2025-03-04", "2026-02-03", "2026-05-01",
    ]
    /// The account's default: the key is an old one, so a client that sends no version gets the old field names.
    private static let defaultVersion = "2023-12-19"

    init(_ source: SimulatedSource) {
        self.source = source
        var sessions: [String: [Int]] = [:]
        for (index, trade) in source.trades.enumerated() { sessions[trade.session, default: []].append(index) }
        self.sessions = sessions
        items = source.trades.enumerated().map { index, trade in
            Item(id: trade.id, createdAt: trade.createdAt, visibleFrom: trade.shownFrom, subject: index)
        }
    }

    static func tell(_ plot: inout Plot) {
        plot.plantDuplicates()
        plot.plantUnsettled()
        plot.plantExpired()
        plot.plantWebhooks()
        plot.plantAmounts()
        plot.plantUnknowns()
        plot.plantStates()
        plot.plantSides()
        plot.plantSignals()
        plot.tellBackground()
    }

    // MARK: requests

    func authenticate(_ request: APIRequest, at door: Door) throws(Refusal) {
        let given = request.headers["authorization"] ?? ""
        let expected = "BASIC \(source.secret("api-key").reveal())"
        guard constantTimeEqual(Array(given.utf8), Array(expected.utf8)) else { throw refusal(.unauthorized) }
        guard let asked = request.headers["meld-version"] else { return }
        guard asked.count == 10, Timestamp(asked + "T00:00:00Z") != nil else {
            throw .bad("[Meld-Version] must be a date")
        }
    }

    /// The newest version that is not newer than the one asked for; older than the oldest gives the oldest.
    private func version(_ request: APIRequest) -> String {
        guard let asked = request.headers["meld-version"], asked.count == 10, Timestamp(asked + "T00:00:00Z") != nil
        else { return Self.defaultVersion }
        return Self.versions.last { $0 <= asked } ?? Self.versions[0]
    }

    func headers(answering request: APIRequest, number: Int) -> [(name: String, value: String)] {
        [("Meld-Version", version(request))]
    }

    func route(_ request: APIRequest) throws(Refusal) -> Route {
        let parts = request.parts
        guard request.method == "GET", parts.starts(with: ["payments", "transactions"]) else { throw refusal(.noRoute) }
        let version = version(request)
        switch parts.count {
        case 2:
            var ask = try MeldQuery(request.query).ask
            ask.dialect = version
            return .list(ask)
        case 3: return .one(shelf: Item.transactions, id: parts[2], dialect: version)
        case 4 where parts[2] == "sessions":
            let session = parts[3]
            return .other { answering throws(Refusal) in try self.ofSession(session, version, answering) }
        default: throw refusal(.noRoute)
        }
    }

    private func ofSession(_ session: String, _ version: String, _ answering: Answering) throws(Refusal) -> APIResponse
    {
        let seen = (sessions[session] ?? []).first {
            answering.isVisible(items[$0]) && source.trades[$0].status(at: answering.moment) != .pendingCreated
        }
        guard let index = seen else {
            throw Refusal(
                status: 404, code: "TRANSACTION_FETCH_BY_SESSION_NOT_YET_CREATED_WITH_PROVIDER",
                message: "The provider has no transaction for this session yet")
        }
        let view = View(moment: answering.moment, dialect: version)
        return APIResponse(200, single(row(items[index], view), items[index], at: answering.moment))
    }

    // MARK: answers

    func row(_ item: Item, _ view: View) -> [UInt8] {
        var json = JSONText()
        MeldRow(
            trade: source.trades[item.subject], moment: view.moment, hasNewWalletNames: view.dialect >= "2025-03-04"
        ).write(to: &json, key: view.key)
        return json.bytes
    }

    func single(_ row: [UInt8], _ item: Item, at moment: Timestamp) -> [UInt8] {
        Array(#"{"transaction":"#.utf8) + row + [UInt8(ascii: "}")]
    }

    func envelope(_ page: Page, _ ask: ListAsk) -> [UInt8] {
        let counts = "{\"count\":\(page.rows.count),\"remaining\":\(page.remaining),\"totalCount\":\(page.total),"
        return Array((counts + #""transactions":"#).utf8) + page.array + [UInt8(ascii: "}")]
    }

    func marks(ofShelf shelf: String) -> RowMarks {
        RowMarks(
            ids: ["id"], owner: ("accountId", { "Wstranger" + Identifiers.base58(13, &$0) }), amount: "sourceAmount",
            status: "status")
    }

    func value(_ field: String, of item: Item, at moment: Timestamp) -> String {
        let trade = source.trades[item.subject]
        let isTied = trade.status(at: moment) != .pendingCreated
        switch field {
        case "statuses": return trade.status(at: moment)?.rawValue ?? ""
        case "serviceProviders": return trade.corridor.provider
        case "customerIds": return trade.customer.meldId
        case "externalCustomerIds": return trade.customer.externalId
        case "externalSessionIds":
            return isTied && [.both, .externalSession].contains(trade.linking) ? trade.bookOrder : ""
        case "sessionIds": return isTied && trade.linking != .orderOnly ? trade.session : ""
        case "types": return trade.direction == .in ? "CRYPTO_PURCHASE" : "CRYPTO_SELL"
        default: return ""
        }
    }

    func refusal(_ trouble: Trouble) -> Refusal {
        switch trouble {
        case .unauthorized: Refusal(status: 401, code: "UNAUTHORIZED", message: "Invalid credentials")
        case .forbidden: Refusal(status: 403, code: "FORBIDDEN", message: "Insufficient access")
        case .tooMany: Refusal(status: 429, code: "TOO_MANY_REQUESTS", message: "Slow down")
        case .redirect(let status): Refusal(status: status, code: "MOVED", message: "Elsewhere")
        case .badCursor: .bad("[after] is no valid key")
        case .server(let status): Refusal(status: status, code: "INTERNAL_ERROR", message: "Try again")
        case .noRoute: Refusal(status: 404, code: "NOT_FOUND", message: "No such endpoint")
        case .notFound:
            Refusal(status: 404, code: "TRANSACTION_INVALID_ID", message: "Transaction is invalid or not found")
        case .badParameter(let name, let problem): .bad("[\(name)] \(problem)")
        }
    }

    func answer(_ refusal: Refusal, number: Int, at moment: Timestamp) -> APIResponse {
        var random = Randomness(seed: source.seed, 6, UInt64(number))
        let request = Identifiers.base58(22, &random)
        var json = JSONText()
        json.object {
            $0.text("code", refusal.code)
            $0.text("message", refusal.message)
            $0.text("requestId", request)
            $0.text("timestamp", moment.description)
        }
        return APIResponse(refusal.status, json.bytes)
    }
}

extension Refusal {
    fileprivate static func bad(_ message: String) -> Refusal {
        Refusal(status: 400, code: "BAD_REQUEST", message: message)
    }
}
